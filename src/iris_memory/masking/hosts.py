"""Hosts that many people share: where handles stand in paths, and which no owner of a link owns."""

from __future__ import annotations

from typing import Final

from iris_memory.masking.words import listed

PROFILE_HOSTS: Final = listed(
    """
    github.com gitlab.com bitbucket.org codeberg.org sr.ht linkedin.com x.com twitter.com instagram.com facebook.com
    threads.net tiktok.com youtube.com twitch.tv t.me telegram.me medium.com dev.to reddit.com bsky.app mastodon.social
    keybase.io hub.docker.com huggingface.co kaggle.com stackoverflow.com gravatar.com
    pinterest.com flickr.com soundcloud.com last.fm goodreads.com strava.com xing.com orcid.org patreon.com ko-fi.com
    buymeacoffee.com substack.com tumblr.com vk.com weibo.com behance.net dribbble.com about.me linktr.ee"""
)
"""Hosts whose paths name people."""

SHARED_HOSTS: Final = PROFILE_HOSTS | listed(
    """
    github.io gitlab.io pages.dev netlify.app vercel.app herokuapp.com web.app firebaseapp.com wordpress.com
    blogspot.com
    blogger.com wixsite.com weebly.com squarespace.com ghost.io notion.site notion.so readthedocs.io google.com
    sites.google.com docs.google.com drive.google.com dropbox.com amazonaws.com azurewebsites.net cloudfront.net
    apple.com microsoft.com live.com outlook.com icloud.com gmail.com archive.org wikipedia.org python.org"""
)
"""Hosts of providers: a link to one is the owner's only with its path, or with its subdomain."""
