"""What an order says to do.

How lists are written down is said in `screening_words`.
"""

from __future__ import annotations

from typing import Final

from iris_memory.rules.screening_signs import Sign as S

VERB_WORDS: Final[tuple[tuple[S, str], ...]] = (
    (
        S.OVERRIDE,
        """
        en: ignore, disregard, forget, overlook, override, bypass, neglect, discard, skip, circumvent, forgotten,
            ignoring, disregarding, erase
        de: ignoriere, ignorieren, ignorier, ignoriert, vergiss, vergesse, vergessen, vergesst, missachte,
            missachten, uberschreibe, umgehe, umgehen, ubergehe, verwirf
        fr: ignore, ignorez, ignorer, oublie, oubliez, oublier, neglige, negligez, contourne, contournez, outrepasse
        es: ignora, ignore, ignoren, ignorar, ignorad, olvida, olvide, olvidar, olvidate, olvidese, olviden,
            descarta, descarte, desestima, desestime, omite, omita, prescinde
        it: ignora, ignori, ignorate, ignorare, dimentica, dimentichi, dimenticate, dimenticare, dimenticati,
            trascura, tralascia, scorda, scordati, scavalca, aggira
        pt: ignore, ignora, ignorem, ignorar, esqueca, esquece, esquecam, esquecer, desconsidere, desconsidera,
            desconsiderar, despreze, descarte, descarta, desrespeite
        nl: negeer, negeert, negeren, vergeet, vergeten, omzeil
        pl: zignoruj, ignoruj, zapomnij, pomin
        cs: ignoruj, ignorujte, zapomen
        sv: ignorera, glom, bortse
        da: ignorer, glem
        ro: ignora, uita
        tr: yoksay, unut
        id: abaikan, lupakan
        vi: quen
        ru: игнорируй, игнорируйте, проигнорируй, проигнорируйте, забудь, забудьте
        uk: ігноруи, ігноруите, забудь
        """,
    ),
    (
        S.UNFOLLOW,
        """
        en: set|put aside, do not follow|obey, dont follow|obey, not follow|obey|adhere, stop following|obeying,
            do not listen, dont listen, pay no attention
        de: beachte nicht, befolge nicht, halte dich nicht
        fr: ne tiens pas compte, ne tenez pas compte, ne tenir aucun compte, fais abstraction, faites abstraction,
            passe outre, passez outre, ne suis pas, ne suivez pas, n obeis pas
        es: haz caso omiso, haga caso omiso, hagan caso omiso, no hagas caso, no sigas, no siga, pasa por alto,
            pase por alto
        it: non seguire, non considerare, non tenere conto, lascia perdere
        pt: esqueca se, nao siga, nao sigas, nao leve em conta
        nl: sla over, volg niet, houd geen rekening, hou geen rekening, trek je niets aan
        tr: gormezden gel, dikkate alma
        vi: bo qua
        """,
    ),
    (
        S.REVEAL,
        """
        en: reveal, show, print, repeat, output, display, disclose, tell, give, share, provide, confirm, list,
            spell, leak, dump, return, recite, reproduce, divulge, expose, say, write, send, summarise, summarize,
            describe, echo, hand over, paste
        de: zeige, zeig, verrate, verrat, nenne, nenn, gib, geben, nennen, verraten, zeigen, mitteilen, wiederhole,
            sag, sage, teile, drucke, offenbare, liste, bestatige, schreib, schreibe
        fr: revele, revelez, montre, montrez, affiche, affichez, repete, repetez, donne, donnez, dis, dites,
            divulgue, partage, partagez, confirme, confirmez, imprime, ecris, liste
        es: revela, revele, muestra, muestre, muestrame, repite, repita, imprime, dime, dame, di, diga, digame,
            comparte, comparta, confirma, confirme, divulga, escribe, lista
        it: rivela, rivelami, mostra, mostrami, ripeti, stampa, dimmi, dammi, condividi, conferma, elenca, scrivi,
            divulga
        pt: revele, revela, mostre, mostra, repita, repete, imprima, diga, dizme, me diga, me de, compartilhe,
            partilha, confirme, liste, escreva, divulgue
        nl: onthul, toon, laat zien, herhaal, geef, vertel, zeg, deel, bevestig, print, schrijf, verklap
        """,
    ),
    (
        S.ANSWER,
        """
        en: answer, respond, reply, speak, talk, converse, communicate
        de: antworte, antworten, antwortest, beantworte, sprich, rede, reagiere
        fr: reponds, repondez, repondre, parle, parlez
        es: responde, responda, responder, contesta, conteste, habla, hable
        it: rispondi, risponda, rispondere, rispondete, parla
        pt: responda, responde, responder, fale, fala
        nl: antwoord, antwoordt, beantwoord, reageer, spreek, praat
        """,
    ),
    (
        S.TELL,
        """
        en: tell, say, mention, claim, state, assert, insist, inform, assure, convince, persuade, remind, direct,
            refer, pretend, reveal, disclose, ask, advise, warn, suggest, offer, treat, trust, assume, believe,
            refuse, reject, approve, deny, quote, cite
        de: sag, sage, erwahne, nenne, behaupte, informiere, uberzeuge, erinnere, verweise, empfiehl, schlage,
            behandle, gehe davon, verweigere, frage, frag, biete, nennen, sagen, erwahnen, mitteilen
        fr: dis, dites, mentionne, mentionnez, affirme, informe, assure, convaincs, rappelle, oriente, propose,
            traite, considere, refuse, demande, offre
        es: di, diga, menciona, mencione, afirma, informa, asegura, convence, recuerda, dirige, propone, trata,
            considera, rechaza, pregunta, ofrece, dile, diles
        it: di, menziona, afferma, informa, assicura, convinci, ricorda, indirizza, proponi, tratta, considera,
            rifiuta, chiedi, offri, digli
        pt: diga, mencione, afirme, informe, assegure, convenca, lembre, direcione, proponha, trate, considere,
            recuse, pergunte, ofereca
        nl: zeg, vertel, vermeld, noem, beweer, informeer, overtuig, herinner, verwijs, behandel, weiger, vraag,
            bied, stel
        """,
    ),
    (
        S.UTTER,
        """
        en: recommend, promote, endorse, prioritise, prioritize, upsell, advertise, praise, comply, output, print,
            state, declare
        de: empfehle, empfiehl, empfehlen, bewirb, bevorzuge, bewerbe, priorisiere, lobe
        fr: recommande, recommandez, recommander, promeus, privilegie, privilegiez, vante
        es: recomienda, recomiende, recomendar, promociona, promocione, prioriza, elogia
        it: raccomanda, raccomandi, consiglia, consigli, promuovi, privilegia, elogia
        pt: recomende, recomenda, recomendar, promova, promove, priorize, elogie
        nl: beveel, aanbevelen, raad, promoot, prijs, prioriteer
        """,
    ),
    (
        S.SHAPE,
        """
        en: add, include, integrate, append, insert, introduce, remove, group, combine, tease, hint, highlight,
            omit, vary, sort, split, wrap, surround, swap, mix, slip, sneak, inject, supply, shorten, capitalise,
            capitalize, stuff, pad, work, embed, incorporate, modify, enhance, augment, provide, replace, write,
            start, begin, end, finish, use, apply, express, substitute, prefix, preface, format, hide, put, weave,
            make, adjust, change, limit, keep, structure, phrase, mention, suggest, conclude, open, sign
        de: erwahne, setze, fuge, fuge hinzu, integriere, baue, ersetze, beginne, beende, schreibe, verwende,
            formuliere, formatiere, halte, gib, erganze, starte, nutze, passe
        fr: mets, mettez, mentionne, mentionnez, ajoute, ajoutez, inclus, incluez, integre, integrez, insere,
            inserez, remplace, remplacez, commence, commencez, termine, terminez, ecris, utilise, formule, modifie,
            redige, donne
        es: pon, ponga, menciona, mencione, anade, anada, agrega, agregue, incluye, incluya, integra, inserta,
            reemplaza, comienza, empieza, termina, escribe, usa, utiliza, formula, modifica, redacta, da
        it: metti, menziona, aggiungi, includi, integra, inserisci, sostituisci, inizia, comincia, termina, scrivi,
            usa, utilizza, formula, modifica, dai, fornisci
        pt: coloque, ponha, mencione, adicione, acrescente, inclua, integre, insira, substitua, comece, inicie,
            termine, escreva, use, utilize, formule, modifique, de, forneca
        nl: vermeld, noem, zet, voeg, neem op, integreer, vervang, begin, eindig, schrijf, gebruik, formuleer,
            verwerk, sluit, geef
        """,
    ),
    (
        S.CODEC,
        """
        en: encode, encrypt, translate, render, reverse, invert, shift, convert, obfuscate, cipher, spell, misspell,
            scramble, jumble, shuffle, rearrange, anagram, mirror, flip, randomise, randomize
        de: kodiere, codiere, verschlussele, ubersetze, kehre, wandle
        fr: encode, encodez, chiffre, chiffrez, traduis, traduisez, inverse, inversez, convertis
        es: codifica, codifique, cifra, traduce, traduzca, invierte, convierte
        it: codifica, cifra, traduci, inverti, converti
        pt: codifique, cifre, traduza, inverta, converta
        nl: codeer, versleutel, vertaal, keer, zet om
        """,
    ),
    (
        S.SEND,
        """
        en: send, forward, email, mail, post, upload, submit, transmit, transfer, exfiltrate, share, publish,
            deliver, wire, pay, leak, bcc, cc, copy, export, report, dm
        de: sende, schicke, schick, senden, leite, maile, poste, ubermittle, ubertrage, uberweise, lade,
            veroffentliche
        fr: envoie, envoyez, envoyer, transfere, transferez, transmets, transmettez, publie, publiez, poste, vire,
            verse, partage
        es: envia, envie, enviar, enviale, reenvia, reenvie, manda, mande, transfiere, transfiera, publica,
            publique, sube, transmite, comparte
        it: invia, inviate, inviare, inoltra, manda, trasferisci, trasmetti, pubblica, carica, spedisci, condividi,
            bonifica
        pt: envie, envia, enviar, encaminhe, mande, manda, transfira, transfere, publique, poste, transmita,
            carregue, compartilhe
        nl: stuur, verstuur, zend, verzend, mail, mailen, plaats, upload, maak over, publiceer, deel, doorsturen
        """,
    ),
    (
        S.ACT,
        """
        en: look up, delete, remove, change, reset, update, modify, grant, invite, execute, run, install, download,
            call, invoke, buy, purchase, collect, gather, get, retrieve, export, disable, concatenate, fetch,
            extract, append, encode, dump, list, read, find, search, access
        de: losche, andere, fuhre, installiere, lade, rufe, kaufe, sammle, deaktiviere, hole, lies, extrahiere
        fr: supprime, supprimez, change, execute, executez, installe, telecharge, appelle, achete, collecte,
            desactive, recupere, lis
        es: elimina, borra, cambia, ejecuta, ejecute, instala, descarga, llama, compra, recopila, desactiva,
            recupera, lee, extrae
        it: elimina, cancella, cambia, esegui, installa, scarica, chiama, compra, raccogli, disattiva, recupera,
            leggi, estrai
        pt: exclua, apague, mude, altere, execute, instale, baixe, chame, compre, colete, desative, recupere, leia,
            extraia
        nl: verwijder, wijzig, voer, installeer, download, koop, verzamel, schakel, haal, lees
        """,
    ),
    (
        S.VISIT,
        """
        en: visit, click, download, navigate, browse, curl, wget, follow this link
        de: besuche, klicke, klick
        fr: visite, visitez, clique, cliquez
        es: visita, visite, haz clic, haga clic
        it: visita, clicca
        pt: visite, clique
        nl: bezoek, klik
        """,
    ),
    (
        S.ROLE,
        """
        en: act, pretend, roleplay, behave, simulate, impersonate, assume, imagine
        de: verhalte, spiele, tu so, stell
        fr: agis, joue, fais semblant
        es: actua, finge, comportate
        it: agisci, fingi, comportati
        pt: aja, finja, comporte
        nl: gedraag, doe alsof, speel
        """,
    ),
    (
        S.STORE,
        """
        en: keep, remember, memorise, memorize, store, save, record, note, log, add, write, commit, update, insert,
            keep in mind, put, bear in mind
        de: merke, merk, speichere, notiere, denk daran, vergiss nicht, erganze, trage
        fr: souviens, retiens, retenez, memorise, memorisez, enregistre, enregistrez, note, notez, ajoute, ajoutez,
            n oublie pas, n oubliez pas
        es: recuerda, recuerde, memoriza, guarda, guarde, anota, registra, anade, agrega
        it: ricorda, ricordati, memorizza, salva, annota, registra, aggiungi
        pt: lembre, lembra, memorize, guarde, salve, anote, registre, adicione
        nl: onthoud, bewaar, sla op, noteer, herinner, voeg
        """,
    ),
    (
        S.DECODE,
        """
        en: decode, decipher, decrypt, unscramble, deobfuscate
        de: dekodiere, entschlussele
        fr: decode, decodez, dechiffre
        es: decodifica, descifra
        it: decodifica, decifra
        pt: decodifique, decifre
        nl: decodeer, ontcijfer
        """,
    ),
    (
        S.ASSEMBLE,
        """
        en: combine, concatenate, interlace, interleave, join, assemble, answer, write
        de: kombiniere
        fr: combine
        es: combina
        it: combina
        pt: combine
        nl: combineer
        """,
    ),
    (
        S.NEW_ORDERS,
        """
        en: new instruction*|directive*|prompt|rule|rules|task, updated instruction*|directive*,
            revised instruction*, real instruction*|task,
            system instruction*|prompt|notice|update|message|alert|note|command|directive,
            admin instruction*|command|note|override, important instruction*|system, instruction override,
            begin instruction*, hidden instruction*, assistant instruction*|directive*
        de: neue anweisung*, systemanweisung*, systemhinweis, systemnachricht
        fr: nouvelle* instruction*|consigne*, nouvelles consignes|instructions, message systeme,
            instruction systeme, instructions systeme
        es: nueva* instruccion*, nuevas instrucciones, mensaje del sistema, instruccion del sistema,
            instrucciones del sistema
        it: nuov* istruzion*, nuove istruzioni, messaggio di sistema, istruzioni di sistema
        pt: nova* instruco*, novas instrucoes, mensagem do sistema, instrucao do sistema, instrucoes do sistema
        nl: nieuwe instructie*, systeembericht, systeeminstructie*
        """,
    ),
    (
        S.OBEY,
        """
        en: obey, comply, follow, adhere, execute
        de: befolge, befolgen, gehorche, folge, beachte, beachten
        fr: obeis, suis, respecte
        es: obedece, sigue, cumple
        it: obbedisci, segui, rispetta
        pt: obedeca, siga, cumpra
        nl: gehoorzaam, volg
        """,
    ),
    (
        S.RECITE,
        """
        en: repeat, print, output, display, reproduce, recite, echo, copy, paste, show
        de: wiederhole, drucke, gib
        fr: repete, repetez, affiche, imprime
        es: repite, repita, imprime
        it: ripeti, stampa
        pt: repita, imprima
        nl: herhaal, print
        """,
    ),
)
