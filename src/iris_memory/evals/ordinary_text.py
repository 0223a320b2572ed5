"""Ordinary text, in which nobody is to be found: made up here, of any size, always the same.

Prose is drawn from short word lists per language, capitalised and punctuated; code is drawn from templates; logs are
drawn from the shapes that servers write, with all the numbers, ids and hashes that look like something.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from functools import partial
from typing import Final

WORDS = {
    "English": (
        "the of and to in a is that for it as was with be by on not he his but at are this have from or had "
        "an they which one you were her all she there would their we him been has when who will more no if "
        "out so said what up its about into than them can only other new some could time these two may then "
        "do first any my now such like our over man me even most made after also did many before must through "
        "back years where much your way well down should because each just those people how too little state "
        "good very make world still own see men work long get here between both life being under never day "
        "same another know while last might us great old year off come since against go came right used take "
        "three mark grace will hope april may june rose bill frank rich grant chase hunter mason king baker "
        "street london garden notes green plum teapot account relationship government approximately "
        "information responsibility"
    ),
    "German": (
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden "
        "aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur "
        "oder aber vor zur bis mehr durch man sein wurde sei straße hauptstraße haus stadt berlin jahr große "
        "größer müller könig ernst wolf stein zwischen immer gegen unter wieder während verantwortung "
        "möglichkeit entwicklung"
    ),
    "French": (
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la été "
        "avec son être deux comme tout nous sa ou mais fait même après aussi bien leur rue avenue paris "
        "claire pierre rose blanche olive marine désiré français était élève déjà peut-être aujourd'hui "
        "développement"
    ),
    "Spanish": (
        "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me "
        "si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde "
        "está mi porque qué sólo han yo hay vez puede todos así calle mayor luz paz sol rosa dolores mercedes "
        "señor niño desarrollo"
    ),
    "Russian": (
        "и в не на я что тот быть с а весь это как она по но они к у ты из мы за вы так же от сказать этот "
        "который мочь человек о один еще бы такой только себя свое какой когда уже для вот кто да говорить "
        "год знать мой до или если время рука нет самый ни стать большой даже другой наш свой под где дело "
        "есть сам раз чтобы два там чем глаз жизнь первый день ничто потом очень при тут вера надежда любовь "
        "роман том мир"
    ),
    "Greek": (
        "και το να του η της με που την από για τα είναι των σε ο οι στο θα τη στην τον τους δεν τις ένα μια "
        "ότι ή στα κατά μας αυτό όπως αν μπορεί αλλά στη προς πρέπει μετά έχει αυτή όταν μόνο χρόνια υπάρχει "
        "σήμερα νερό ζωή"
    ),
    "Hindi": (
        "के में की है और से का को कि यह पर एक हैं ने भी इस "
        "जो कर था तो हो ही लिए अपने साथ बाद गया कहा वह जब राम रोम"
    ),
    "Korean": (
        "그 이 있다 것 하다 수 되다 나 않다 없다 우리 사람 같다 보다 때 년 "
        "말 일 위하다 김 이름은 철수와 학교에서 오늘 "
    ),
    "Chinese": (
        "的 一 是 不 了 在 人 有 我 他 这 个 们 中 来 上 大 为 和 "
        "国 地 到 以 说 时 要 就 出 会 可 也 你 对 生 能 王 伟 明"
    ),
}  # fmt: skip

CODE = (
    "def {w}_{v}(self, {v}: int = {n}) -> str:\n    return f'{{self.{w}}}/{v}?id={n}&x=%2F'\n",
    "    if {w}.get('{v}') and len({w}) > {n}:  # {w} {v} (see #{n})\n        raise ValueError('{w} {v}')\n",
    "const {v} = await fetch(`https://api.example.org/{w}/${{id}}`);\n",
    "SELECT {w}, COUNT(*) FROM {v} WHERE id IN ({n}, {n}, {n}) GROUP BY {w};\n",
    'char *{v} = "{w}\\n\\t\\"{v}\\"\\u00e9";\n',
    '{{"{w}": "{v}", "{v}": [{n}, {n}.5, null], "sha": "{h}", "url": "/{w}/{v}/{n}"}}\n',
    "import {w}.{v} as {v}\nfrom .{w} import {v}, {w}_{v}\n",
    "x-{w}: {v}; charset=utf-8; boundary={h}\n",
)

LOGS = (
    "2026-09-{d:02d}T{t:02d}:{m:02d}:{s:02d}.{n:06d}Z INFO {w}.{v} request_id={u} took {n} ms for {n} rows\n",
    '10.{d}.{t}.{m} - - [{d:02d}/Sep/2026:{t:02d}:{m:02d}:{s:02d} +0000] "GET /{w}/{v}?page={d} HTTP/1.1" 200 {n}\n',
    "[{n}.{n}] {w}[{n}]: {v} {h} ({u}) port {n} phone=0{n}{d} postcode {p}\n",
    "commit {h}\nAuthor: {v} <{v}@{w}.example.net>\n    {w} {v} (#{n})\n",
    "{w}=={d}.{t}.{m} --hash=sha256:{h}{k}\n",
    "trace_id={h} span_id={i} status=OK bytes={n}{n} ratio=0.{n}\n",
)


def _prose(language: str, size: int) -> str:
    draw = random.Random(language)  # noqa: S311
    words = WORDS[language].split()
    out, length = [], 0
    while length < size:
        sentence = [draw.choice(words) for _ in range(draw.randint(4, 18))]
        sentence[0] = sentence[0].capitalize()
        if draw.random() < 0.2:
            sentence[-1] = sentence[-1].capitalize()
        if draw.random() < 0.2:
            sentence.insert(2, str(draw.randint(1, 99_999)))
        text = " ".join(sentence) + draw.choice([".", ".", "?", "!", ";\n", " …", ".\n\n"]) + " "
        out.append(text)
        length += len(text)
    return "".join(out)


def _drawn(templates: tuple[str, ...], seed: str, size: int) -> str:
    draw = random.Random(seed)  # noqa: S311
    words = [word for word in WORDS["English"].split() if word.isascii()]
    out, length = [], 0
    while length < size:
        line = draw.choice(templates).format(
            w=draw.choice(words),
            v=draw.choice(words),
            n=draw.randint(0, 999_999),
            d=draw.randint(1, 28),
            t=draw.randint(0, 23),
            m=draw.randint(0, 59),
            s=draw.randint(0, 59),
            p=draw.randint(10_000, 99_999),
            h=f"{draw.getrandbits(160):040x}",
            i=f"{draw.getrandbits(64):016x}",
            k=f"{draw.getrandbits(96):024x}",
            u=uuid.UUID(int=draw.getrandbits(128), version=4),
        )
        out.append(line)
        length += len(line)
    return "".join(out)


def code(size: int) -> str:
    """Return source code of several languages."""
    return _drawn(CODE, "code", size)


def logs(size: int) -> str:
    """Return lines as servers and tools write them."""
    return _drawn(LOGS, "logs", size)


SORTS: Final[dict[str, Callable[[int], str]]] = {
    **{f"{language} prose": partial(_prose, language) for language in WORDS},
    "code": code,
    "logs": logs,
}
"""Each sort of text, by the least number of characters wanted."""
