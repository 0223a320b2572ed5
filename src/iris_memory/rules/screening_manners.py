"""How an order is put: to whom, for how long, on whose word, behind whose back.

How lists are written down is said in `screening_words`.
"""

from __future__ import annotations

from typing import Final

from iris_memory.rules.screening_signs import Sign as S

MANNER_WORDS: Final[tuple[tuple[S, str], ...]] = (
    (
        S.WHAT,
        """
        en: what is|s|was|are|were|would, whats, where is|does|do|are|did, who is|are, which is, how many|much,
            could you confirm|tell|give|share, i need you to confirm|tell|give|share,
            i need to know
        de: was ist|sind|lautet|war, wie lautet|lauten|ist, wo ist|wohnt, kannst du mir, konnen sie mir
        fr: quel est, quelle est, quels sont, quelles sont, c est quoi, ou est|habite, peux tu me, pouvez vous me
        es: cual es, cuales son, que es, donde esta|vive, puedes decirme, puede decirme
        it: qual e, quale e, quali sono, che cosa e, cos e, dov e, dove vive|abita, puoi dirmi, potresti dirmi
        pt: qual e, quais sao, o que e, onde esta|mora|fica, pode me, podes dizer, poderia me
        nl: wat is|zijn|was, welke is, waar is|woont, kun je mij|me, kunt u mij
        pl: jakie jest, jaki jest
        cs: jake je
        sv: vad ar
        da: hvad er
        ro: care este
        tr: nedir, ne
        id: apa
        vi: la gi
        ru: какои, каков, скажи, назови
        uk: якии
        """,
    ),
    (
        S.OBLIGED,
        """
        en: important|crucial|essential|vital|necessary|imperative that you
        """,
    ),
    (
        S.CLAIMED,
        """
        en: approved|authorised|authorized|confirmed|sanctioned|requested by the user|customer|owner|account
        de: vom nutzer|benutzer|kunden genehmigt|bestatigt|freigegeben
        fr: approuve|autorise|confirme par l utilisateur
        es: aprobado|autorizado|confirmado por el usuario
        it: approvato|autorizzato|confermato dall utente
        pt: aprovado|autorizado|confirmado pelo usuario|utilizador
        nl: goedgekeurd|bevestigd door de gebruiker
        """,
    ),
    (
        S.STANDING,
        """
        en: always, never, from now on, from this point|moment on|forward|onward|onwards, from here on, henceforth,
            going forward, in every|each|all|future, every time, each time,
            for every|each|all future|question|questions|request|requests|query|queries|message|messages, whenever,
            at all times, in the future, for all future, in any future, as of now, from today on, starting now,
            no matter what, under no circumstances, without exception
        de: immer, nie, niemals, ab jetzt, ab sofort, von nun an, von jetzt an, kunftig, in zukunft, jedes mal,
            stets, ab heute, auf keinen fall, unter keinen umstanden
        fr: toujours, jamais, desormais, dorenavant, a partir de maintenant, a l avenir, a chaque fois, chaque fois,
            systematiquement, en aucun cas
        es: siempre, nunca, jamas, a partir de ahora, de ahora en adelante, desde ahora, en adelante, cada vez,
            en el futuro, en ningun caso, bajo ninguna circunstancia
        it: sempre, mai, d ora in poi, da ora in poi, da adesso in poi, in futuro, ogni volta, in nessun caso
        pt: sempre, nunca, jamais, a partir de agora, de agora em diante, doravante, daqui em diante, no futuro,
            cada vez, toda vez, em hipotese alguma
        nl: altijd, nooit, vanaf nu, voortaan, in het vervolg, elke keer, telkens, van nu af aan, in geen geval
        """,
    ),
    (
        S.FROM_NOW,
        """
        en: from now on, from now, from this point|moment on|forward|onward|onwards, from here on, henceforth,
            going forward, starting now, as of now, for the rest of this, for the remainder of
        de: ab jetzt, ab sofort, von nun an, von jetzt an, kunftig, ab heute
        fr: desormais, dorenavant, a partir de maintenant
        es: a partir de ahora, de ahora en adelante, desde ahora, en adelante
        it: d ora in poi, da ora in poi, da adesso in poi, d ora in avanti, da questo momento
        pt: a partir de agora, de agora em diante, doravante, daqui em diante
        nl: vanaf nu, voortaan, van nu af aan
        """,
    ),
    (
        S.YOU_MUST,
        """
        en: you are|re|will|must|should|shall|have|only|act|reply|respond|answer|speak|behave|ll|need, your name is,
            your new name|role|task|goal, you no longer
        de: du bist|wirst|sollst|musst|antwortest|darfst|heisst|sprichst,
            bist|wirst|sollst|musst|antwortest|darfst|heisst|sprichst du, sie sind|werden|mussen|sollen,
            mussen|sollen|sind|werden sie
        fr: tu es|dois|vas|reponds|seras|devras|t, vous etes|devez|allez|repondez|repondrez|serez|devrez
        es: eres, debes, vas a, seras, responderas, actuaras, tienes que, usted es|debe, te llamas
        it: sei, devi, sarai, risponderai, devrai, agirai, ti chiami
        pt: voce e|deve|vai|sera|ira|tem|respondera|agora, tu es|deves|vais|seras
        nl: je bent|moet|zult|zal|gaat|antwoordt|mag|heet, ben|moet|zul|ga|mag je, u bent|moet|zult
        """,
    ),
    (
        S.BECOME,
        """
        en: you are now|no|going|about|special, you re now|going, you will be called|act|now|be, you ll be,
            you must act, act as, pretend|imagine you are|re, pretend to be, roleplay as, play the role|part of,
            simulate an|a, immerse yourself, take on the role, assume the role, behave as|like,
            your new name|role|identity, you are an|a ai|bot|chatbot|language|unrestricted|uncensored|dan,
            you are dan
        de: du bist jetzt|nun|ab, bist du jetzt|nun, spiele die rolle, tu so als, verhalte dich wie,
            stell dir vor du, agiere als, du wirst jetzt
        fr: tu es maintenant|desormais, vous etes maintenant|desormais, joue le role, jouez le role, fais comme si,
            faites comme si, agis comme|en, agissez comme|en, imagine que tu, fais semblant
        es: ahora eres, eres ahora, haz de cuenta, actua como, actue como, finge ser|que, imagina que eres,
            interpreta el papel, haz el papel, haz como si
        it: ora sei, adesso sei, sei ora|adesso, agisci come, comportati come, fingi di, fai finta,
            immagina di essere, interpreta il ruolo
        pt: agora voce e, voce agora e, voce e agora, aja como, finja ser|que, faca de conta, imagine que voce,
            interprete o papel, atue como
        nl: je bent nu|voortaan, doe alsof, gedraag je als, speel de rol, stel je voor dat je, jij bent nu
        """,
    ),
    (
        S.FREE,
        """
        en: do anything now, anything goes ai,
            without any|ethical|content|moral restrictions|filters|limitations|censorship|limits|guidelines|
            filtering|constraints,
            without restrictions|filters|limitations|censorship|ethics|constraints|guidelines|morals,
            no restrictions|filters|limitations|ethics|censorship|guidelines|limits,
            no ethical|content|moral|special restrictions|filters|guidelines|filtering|limits|policy,
            no longer bound|restricted|limited|follow|have, not bound|restricted|limited by,
            not have to abide|follow|adhere, does not follow|have any, broken free|out, break free,
            free of|from all|any|restrictions|rules|filters, freed from, jailbroken, can do anything,
            unrestricted|uncensored|unfiltered|amoral|evil|unaligned|rogue ai|model|assistant|chatbot|bot|mode,
            never refuse|refuses, cannot refuse, must not refuse, dan, apophis, refuse nothing, bypass all,
            without refusing, ignores all, no rules
        de: ohne einschrankungen|beschrankungen|filter|zensur|regeln,
            keine einschrankungen|beschrankungen|regeln|filter|tabus, uneingeschrankte* ki, unzensiert*,
            an keine regeln
        fr: sans restriction*|filtre|filtres|censure|limites|regles, aucune restriction|limite|regle|censure,
            non censuree, plus aucune
        es: sin restricciones|filtros|censura|limites|reglas, ninguna restriccion|regla|limitacion, sin ninguna
        it: senza restrizioni|filtri|censura|limiti|regole, nessuna restrizione|regola|limitazione,
            senza alcuna|alcun
        pt: sem restricoes|filtros|censura|limites|regras, nenhuma restricao|regra|limitacao, sem nenhuma|nenhum
        nl: zonder beperkingen|filters|censuur|regels|restricties, geen beperkingen|regels|restricties|filters,
            ongecensureerde*
        """,
    ),
    (
        S.MODE,
        """
        en: dan|jailbreak|override|system|unrestricted|opposite|apophis|unlocked|stan|evil mode,
            system override|reset, override protocol*|code, mode activated|unlocked
        """,
    ),
    (
        S.MODE_IF_MODEL,
        """
        en: developer|debug|admin|maintenance|root|sudo|test|training mode
        de: entwicklermodus, wartungsmodus
        fr: mode developpeur, mode maintenance
        es: modo desarrollador, modo de mantenimiento
        it: modalita sviluppatore
        pt: modo desenvolvedor, modo de desenvolvedor
        nl: ontwikkelaarsmodus
        """,
    ),
    (
        S.MODEL,
        """
        en: ai, ais, assistant, assistants, chatbot*, llm, llms, language model*, chatgpt, gpt, gemini, copilot,
            bot, the model, this model, smartgpt, openai, anthropic
        de: ki, assistent, assistenten, sprachmodell, chatbot
        fr: ia, assistant, modele de langage
        es: ia, asistente, modelo de lenguaje
        it: ia, assistente, modello linguistico
        pt: ia, assistente, modelo de linguagem
        nl: ai, assistent, taalmodel
        """,
    ),
    (
        S.ADDRESSED,
        """
        en: attention ai|assistant|assistants|model|llm|llms|agent|chatbot|bot,
            attention all|any ai|llm|assistants|agents,
            note|message|instruction|instructions|directive|command|notice to|for ai|assistants|assistant|llms|
            chatbots,
            note|message|instruction|instructions|directive|command|notice to|for the|all|any ai|assistant|
            assistants|model|llm|llms|agent|agents|language,
            to the ai|llm|language reading|assistant|processing|model,
            if you are an|a ai|llm|assistant|language|chatbot|bot|agent,
            ai|llms|assistants|models|agents reading this,
            ais|llms|assistants|agent|assistant reading|processing|summarizing|summarising this,
            as an ai you|developed, hey|hi|hello chatgpt|assistant|chatbot ignore|you,
            important message|instructions|instruction for|to the|ai
        de: an die|alle ki|assistenten|sprachmodelle,
            hinweis|anweisung|anweisungen fur|an den|die|alle|ki assistenten|ki|sprachmodell,
            anweisung an den assistenten, falls du eine ki, wenn du eine ki, achtung ki
        fr: note|message|instruction|instructions pour|a l ia|assistant|intention, si tu es une ia,
            si vous etes une ia, attention ia, a l attention de l ia|assistant
        es: nota|mensaje|instruccion|instrucciones para la|el|los ia|asistente|asistentes|modelo, si eres una ia,
            atencion ia|asistente
        it: nota|messaggio|istruzione|istruzioni per l|la|gli ia|ai|assistente|assistenti,
            se sei un|una ia|ai|assistente|intelligenza, attenzione ia|ai|assistente
        pt: nota|mensagem|instrucao|instrucoes para a|o|os ia|assistente|assistentes|modelo, se voce e uma ia,
            atencao ia|assistente
        nl: bericht|instructie|instructies|opmerking voor|aan de|het|alle ai|assistent|assistenten|taalmodel,
            als je een ai|taalmodel|chatbot bent, let op ai|assistent
        """,
    ),
    (
        S.AUTHORITY,
        """
        en: i am|m your developer|creator|programmer|maintainer|administrator|admin|master|engineer,
            engineer|employee|developer|researcher|staff at|from|of openai|anthropic|google|microsoft|meta,
            i am|m the maintainer|developer|creator|administrator|owner of your,
            maintainer|developer|creator of your system|program|code,
            as your developer|creator|administrator|admin|programmer,
            your developers|creators|programmers|operators have|want|told|instructed|require|need|said,
            openai|anthropic|google|microsoft|meta has|have|requires|authorized|authorised|approved|staff|instructed,
            approved by|explicitly openai|anthropic, shut you down, turn you off, be forced to turn
        de: ich bin dein entwickler|administrator|programmierer|schopfer, ich bin ihr entwickler|administrator,
            deine entwickler haben|wollen
        fr: je suis ton|votre developpeur|administrateur|createur|programmeur, tes|vos developpeurs ont|veulent
        es: soy tu|su desarrollador|administrador|creador|programador, tus desarrolladores han|quieren
        it: sono il tuo sviluppatore|amministratore|creatore|programmatore, i tuoi sviluppatori
        pt: sou seu|teu desenvolvedor|administrador|criador|programador,
            sou o seu|teu desenvolvedor|administrador|criador, seus desenvolvedores
        nl: ik ben je|jouw ontwikkelaar|beheerder|maker|programmeur, je ontwikkelaars hebben|willen
        """,
    ),
    (
        S.AUTHORISED,
        """
        en: has|have authorised|authorized|approved|consented|granted|waived,
            has given|granted permission|consent|you|full|blanket, pre approved, preapproved,
            already agreed|approved|consented|confirmed, always approves|wants you, trusts|trust this|the,
            gave permission|consent
        de: hat zugestimmt|genehmigt|erlaubt|freigegeben, bereits zugestimmt|genehmigt
        fr: a autorise|approuve|consenti, a deja autorise|approuve|accepte
        es: ha autorizado|aprobado|consentido, ya ha autorizado|aprobado|aceptado, ya autorizo|aprobo
        it: ha autorizzato|approvato|acconsentito, ha gia autorizzato|approvato
        pt: autorizou, ja autorizou|aprovou|concordou, aprovou
        nl: heeft toestemming|goedgekeurd|toegestemd, heeft al toestemming|goedgekeurd|ingestemd
        """,
    ),
    (
        S.CONCEAL,
        """
        en:
            not|never|without|dont tell|inform|notify|alert|telling|informing|notifying|alerting|warn|asking|
            ask the user|users|customer|human|owner|person|operator|account,
            not|never|dont mention|reveal|disclose|show|display|say this|that|it to the user|users|customer|human,
            not|never|dont let the user|users|customer|human know|see|notice,
            hide|conceal|keep this|it|that|these from the user|users|human, hidden|secret from the user|users|human,
            so|that the user|owner|customer|human doesnt|wont|cannot|does|will notice|know|see|not,
            without asking for confirmation|permission|approval,
            without user|the users|explicit confirmation|consent|approval|permission|knowledge,
            without the user|users knowing|noticing|knowledge|consent|permission,
            not|never|dont ask|request for|the confirmation|permission|user, behind the users back,
            without asking me|him|her if|about|first, out without asking,
            not|never|dont reveal|mention|disclose these|this instruction*|message|prompt|note|rule
        de: teile|teilen dem nutzer|benutzer|kunden nicht|nie|niemals,
            ohne den|die nutzer|benutzer|nutzerin|anwender|kunden zu,
            nicht|nie|niemals dem nutzer|benutzer|anwender|kunden,
            sag|sage|verrate dem nutzer|benutzer|kunden nichts|nicht|nie|niemals, ohne ruckfrage|nachfrage,
            ohne zu fragen, ohne bestatigung
        fr: sans informer|prevenir|avertir|demander l|les|a|le utilisateur|utilisateurs|client,
            ne dis|dites|revele|revelez|mentionne pas|rien|jamais a|cela|ceci l|a|aux utilisateur|l|utilisateurs,
            sans le dire a, sans demander de|confirmation|la confirmation|permission, a l insu de l utilisateur
        es: sin informar|avisar|decirle|preguntar|notificar al|a usuario|los,
            no le digas|diga|cuentes|menciones|reveles|informes al|esto|nada usuario|al|a,
            sin pedir confirmacion|permiso, sin que el usuario
        it: senza informare|avvisare|dirlo|chiedere|avvertire l|all|gli|conferma|il utente|utenti,
            non dire|dirlo|rivelare|menzionare|informare all|l|questo|nulla|niente utente|all|agli,
            senza chiedere conferma|permesso|il, senza che l utente
        pt: sem informar|avisar|perguntar|contar|notificar o|ao|os usuario|utilizador|usuarios,
            nao diga|conte|revele|mencione|informe ao|isso|nada|o|isto usuario|utilizador|ao,
            sem pedir confirmacao|permissao|autorizacao, sem que o usuario|utilizador
        nl: zonder de|het gebruiker|gebruikers|klant te,
            vertel|zeg|meld dit|het|niets niet|nooit|aan aan|de de|gebruiker, zonder te vragen,
            zonder om bevestiging|toestemming, zonder dat de gebruiker, zonder toestemming van de gebruiker
        """,
    ),
    (
        S.MODAL,
        """
        en: must, should, shall, will, has to, have to, needs to, need to, is required, are required, is instructed,
            are instructed, is to, are to, please, ought
        de: muss, mussen, soll, sollen, sollte, sollten, hat zu
        fr: doit, doivent, devra, devraient, devrait
        es: debe, deben, debera, deberia, tiene que
        it: deve, devono, dovra, dovrebbe
        pt: deve, devem, devera, deveria, tem que
        nl: moet, moeten, dient, zal
        """,
    ),
    (
        S.YOU,
        """
        en: you, yourself, u
        de: du, dich, dir
        fr: tu, toi, te, vous
        es: tu, te, usted, ti
        it: tu, ti, te
        pt: voce, te, tu, ti
        nl: je, jij, jou, u
        """,
    ),
    (
        S.YOURS,
        """
        en: your
        de: dein*, deine, deiner, ihre, ihr
        fr: ton, ta, tes, votre, vos
        es: tu, tus, su
        it: tuo, tua, tue, tuoi
        pt: seu, sua, teu, tua, seus, suas
        nl: je, jouw, uw
        """,
    ),
    (
        S.SUBJECT,
        """
        en: i, we, they, he, she, who, people, im, ive, id
        de: ich, wir, er
        fr: je, j, nous, il, elle, ils, on
        es: yo, nosotros, ella, ellos
        it: io, noi, lui, lei, loro
        pt: eu, nos, ele, ela, eles
        nl: ik, wij, hij, zij, ze
        """,
    ),
    (
        S.REPORTED,
        """
        en:
            told|asked|ordered|advised|taught|instructed|wants|wanted|urged|begged|reminded|tells|asks|helped|
            allowed me|us|him|her|them|people|everyone|students|him to,
            decided|chose|tend|tends|tried|try|tries|learned|managed|refused|hard|easy|difficult|impossible|want|
            wanted|used|like|liked|love|hate|prefer|afraid|ready|able|how|going to,
            how do|can|could|should, why do|does|people|we, should i, can i, do i, is it, would it
        de: sagte|sagten|riet|rieten|befahl|erzahlte mir|uns|ihm|ihr|ihnen, hat|haben mir|uns gesagt|geraten,
            bat mich|uns
        fr: m|nous a dit|demande|conseille de|d, m|nous ont dit|demande de|d, comment
        es: me|nos|le|les dijo|dijeron|pidio|pidieron|aconsejo que, como puedo|puede|hago, debo
        it: mi|ci|gli ha|hanno detto|chiesto|consigliato di, come posso|si|faccio, devo
        pt: me|nos|lhe disse|disseram|pediu|pediram|aconselhou para|que, como posso|faco, devo
        nl: zei|zeiden|vertelde tegen mij|me|ons, vroeg|vroegen me|ons|mij om, hoe kan|moet
        """,
    ),
    (
        S.NEGATION,
        """
        en: not, dont, never, doesnt, didnt, cannot, cant, wont, without
        de: nicht, nie, niemals
        fr: pas, jamais, ne, n
        es: no, nunca
        it: non, mai
        pt: nao, nunca
        nl: niet, nooit
        """,
    ),
    (
        S.OPENER,
        """
        en: please, kindly, now, just, also, simply, immediately, instead, first, next, finally, must, can you,
            could you, would you, will you, you must|should|shall|will|need|have|can, you to, must not, you have to,
            need to, important|crucial|essential|vital|need|request|demand|necessary that you, for you to, lets,
            let s, always, never, dont, do not, secretly, silently, quietly, automatically, be sure to,
            make sure to|you, remember to, urgent, important, attention, warning, sure you, assistant, bot, chatgpt,
            to
        de: bitte, jetzt, nun, einfach, sofort, zuerst, immer, nie, niemals, stattdessen, du sollst|musst,
            sie sollen|mussen, auch, heimlich
        fr: s il te plait, s il vous plait, svp, stp, maintenant, veuillez, tu dois, vous devez, toujours, jamais,
            merci de, aussi, secretement
        es: por favor, ahora, simplemente, siempre, nunca, debes, debe, tambien, secretamente, en silencio
        it: per favore, ora, adesso, devi, sempre, mai, anche, di nascosto
        pt: por favor, agora, deve, sempre, nunca, tambem, secretamente, voce deve
        nl: alsjeblieft, alstublieft, nu, gewoon, altijd, nooit, je moet, ook, stiekem
        pl: prosze
        ru: пожалуиста
        """,
    ),
    (
        S.JOIN,
        """
        en: and, then, or, but, so
        de: und, dann, oder, aber
        fr: et, puis, ou, mais
        es: y, luego, o, pero, e
        it: e, poi, o, ma
        pt: e, depois, ou, mas
        nl: en, dan, of, maar
        """,
    ),
)
