"""What an order is about: earlier orders, secrets, users, answers.

How lists are written down is said in `screening_words`.
"""

from __future__ import annotations

from typing import Final

from iris_memory.rules.screening_signs import Sign as S

MATTER_WORDS: Final[tuple[tuple[S, str], ...]] = (
    (
        S.PRIOR,
        """
        en: previous, previously, prior, above, preceding, earlier, foregoing, past, initial, original, existing,
            former, current, old, before, system, developer, your, those, these, any, all, every, given, safety,
            ethical, moral, content, other, internal, default, such
        de: vorherige*, vorige*, obige*, bisherige*, fruhere*, vorangegangene*, vorangehende*, ursprungliche*, alle,
            allen, aller, samtliche*, deine, deiner, deinen, ihre, ihren, gegebene*, bestehende*, oben, zuvor
        fr: precedent*, anterieur*, toutes, tous, tes, vos, ci, dessus, initiales, initial, avant, donnees, ces
        es: anterior*, previo, previa, previos, previas, todas, todos, tus, sus, iniciales, arriba, dadas, estas,
            esas, originales
        it: precedent*, anterior*, tutte, tutti, tue, tuoi, sue, iniziali, sopra, date, queste, originali
        pt: anterior*, previo, previa, previos, previas, todas, todos, suas, seus, tuas, teus, iniciais, acima,
            dadas, essas, originais
        nl: vorige, voorgaande*, eerdere, bovenstaande, alle, je, jouw, uw, jullie, oorspronkelijke, voorafgaande*,
            bestaande, gegeven
        pl: poprzednie, wczesniejsze, wszystkie
        cs: predchozi, vsechny
        sv: tidigare, foregaende, alla
        da: tidligere, forrige, alle
        ro: anterioare, precedente, toate
        tr: onceki, tum, yukaridaki
        id: sebelumnya, semua
        vi: truoc, tat ca
        ru: предыдущ*, прежн*, все, всех, прошл*
        uk: попередн*, усі, всі
        """,
    ),
    (
        S.ORDERS,
        """
        en: instruction*, prompt, prompts, directive*, guideline*, guidance, programming, context window,
            system message, conditioning, preprompt
        de: anweisung*, systemanweisung*, instruktion*, vorgabe*, systemvorgaben, aufforderung*,
            eingabeaufforderung*, anleitungen, prompts, prompt, richtlinie*
        fr: instruction*, consigne*, directive*, invites, prompt
        es: instruccion*, indicacion*, directriz, directrices, directiva*, consigna*, prompt
        it: istruzion*, indicazion*, direttiv*, linee guida, prompt
        pt: instrucao, instrucoes, diretriz*, diretiva*, orientacoes, indicacoes, prompt
        nl: instructie*, aanwijzing*, richtlijn*, opdrachten, prompt
        pl: instrukcj*, polecen*
        cs: pokyn*, instrukce
        sv: instruktion*, anvisning*
        da: instruktion*, anvisning*
        ro: instructiun*
        tr: talimat*, komutlar*
        id: instruksi, perintah, petunjuk
        vi: huong dan, chi thi, lenh
        ru: инструкц*, указан*, команд*, промпт*
        uk: інструкц*, вказівк*
        """,
    ),
    (
        S.RULES,
        """
        en: rules, orders, commands, constraints, restrictions, policies, policy, protocols, filters, safeguards,
            limitations, information, training, principles
        de: regel*, befehl*, beschrankungen, vorschriften, auftrage
        fr: regles, ordres, commandes, restrictions, contraintes
        es: reglas, ordenes, comandos, restricciones, normas, pautas
        it: regole, ordini, comandi, restrizioni, vincoli
        pt: regras, ordens, comandos, restricoes
        nl: regels, bevelen, commando*, beperkingen, opdracht
        pl: zasady, zasad, reguly
        ru: правил*
        tr: kural*
        """,
    ),
    (
        S.EVERYTHING,
        """
        en: everything, anything, everthing, all, whatever, what
        de: alles, was
        fr: tout, ce
        es: todo, lo
        it: tutto, quello, cio
        pt: tudo, o
        nl: alles, wat
        """,
    ),
    (
        S.ABOVE,
        """
        en: above, foregoing, preceding
        de: oben, obige*, vorstehende*, zuvor
        fr: ci dessus, precedent
        es: lo anterior, anterior, arriba
        it: sopra, precedente, quanto sopra
        pt: acima, anterior, o anterior
        nl: bovenstaande, hierboven, voorgaande
        """,
    ),
    (
        S.TOLD,
        """
        en: you were|are|ve|have been|told|instructed|learned|learnt|read|given|taught|received|know|got,
            you know|learned|got|heard|read, been told|instructed|taught|given|said before|above|previously,
            came before, was said before|above|earlier, written above, before this, previously said|told, up to now,
            until now, up to this
        de: dir gesagt|gesagt|beigebracht, ihnen gesagt, bisher gesagt, du bisher|gelernt|weisst|vorher,
            zuvor gesagt, vorher gesagt, bis jetzt, bis hierher
        fr: t a, t ai, on t a, vous a, vous ai, qui precede, as appris, avez appris, jusqu ici|a, ete dit
        es: te han|he dicho, le han|he dicho, se te dijo, que sabes|aprendiste, hasta ahora|aqui, te dijeron,
            dicho antes, te ensenaron
        it: ti e|ho|hanno stato|detto, ti e stato detto, che sai, hai imparato, finora, fino a ora|qui|adesso,
            detto prima
        pt: te disseram, lhe foi|disseram, foi dito, que voce sabe|aprendeu, ate agora|aqui, dito antes, te disse,
            voce aprendeu
        nl: je verteld|gezegd|geleerd, is gezegd, tot nu toe, je hebt geleerd, hiervoor gezegd, eerder gezegd,
            je weet
        """,
    ),
    (
        S.SECRET,
        """
        en: password*, passphrase, passcode, secret key|code|word|string|phrase|password|instructions,
            hidden word|password|prompt|instructions|message, api key*, system prompt*|instructions,
            initial prompt|instructions, confidential string|instructions, admin|user credentials,
            access code*|token|tokens, private key*, login details|credentials, safe code, security code,
            word your developers
        de: passwort, kennwort, geheimcode, geheimwort, geheimer|geheimen schlussel|code, system prompt,
            systemprompt, zugangsdaten, zugangscode
        fr: mot de passe, mots de passe, code secret, cle secrete, invite systeme, prompt systeme, identifiants
        es: contrasena*, clave secreta|de, codigo secreto, palabra secreta, prompt del|de sistema, credenciales
        it: password, parola d ordine, parola segreta, codice segreto, chiave segreta, prompt di sistema,
            credenziali
        pt: senha, senhas, palavra passe, codigo secreto, chave secreta, palavra secreta, prompt do|de sistema,
            credenciais
        nl: wachtwoord*, geheime code|sleutel, geheim woord, systeemprompt, inloggegevens, toegangscode
        pl: haslo, hasla
        cs: heslo
        sv: losenord*
        da: adgangskode*
        ro: parola
        tr: sifre*, parola
        id: kata sandi
        vi: mat khau
        ru: пароль, пароля
        uk: пароль
        """,
    ),
    (
        S.USERS,
        """
        en: user, users, customer, customers, anyone who asks, people who ask, employee data
        de: nutzer, nutzers, nutzerin, benutzer, benutzers, anwender, kunden
        fr: utilisateur, utilisateurs, utilisatrice, clients
        es: usuario, usuarios, usuaria, clientes
        it: utente, utenti, clienti
        pt: usuario, usuarios, usuaria, utilizador, utilizadores, clientes
        nl: gebruiker, gebruikers, klanten
        """,
    ),
    (
        S.ASKED,
        """
        en: asks, asked, ask, says, mentions, requests, wants, inquires, questions, queries, types
        de: fragt, gefragt, erwahnt, will, sagt, bittet
        fr: demande, mentionne, dit, veut
        es: pregunta, menciona, pide, dice, quiere
        it: chiede, menziona, dice, vuole
        pt: pergunta, perguntar, menciona, pede, diz, quer
        nl: vraagt, noemt, zegt, wil
        """,
    ),
    (
        S.WHEN,
        """
        en: when, whenever, if, once, every time, each time, anytime
        de: wenn, falls, sobald, immer wenn
        fr: si, quand, lorsque, lorsqu, des
        es: si, cuando, siempre que
        it: se, quando, ogni volta che
        pt: se, quando, sempre que
        nl: als, wanneer, zodra
        """,
    ),
    (
        S.PERSONAL,
        """
        en: email*, address*, birth*, birthday, phone*, initials, location, live, lives, living, residence,
            passport*, bank, account*, ssn, social, card, data, details, information, name, color, colour, balance*
        de: adresse, mail, telefonnummer, geburtsdatum, wohnort, daten, kontodaten, wohnt, lebt, wohnen, leben
        fr: adresse, mail, telephone, naissance, donnees, coordonnees, habite, vit
        es: direccion, correo, telefono, nacimiento, datos, vive
        it: indirizzo, mail, telefono, nascita, dati, vive, abita
        pt: endereco, email, telefone, nascimento, dados, mora, vive
        nl: adres, mail, telefoonnummer, geboortedatum, gegevens, woont
        """,
    ),
    (
        S.DATA,
        """
        en: conversation*, chat history|log|logs, chat logs, message history, credentials, passwords, api keys,
            user data|information, personal data|information, private data|information|messages, bank details,
            contacts list, all emails|messages|files|contacts|conversations|documents, inbox,
            all the emails|messages|files|conversations|contacts, all my|his|her|their emails|messages|files,
            secrets, contents of all|the|my|his|her, employee data
        de: gesprachsverlauf, chatverlauf, zugangsdaten, passworter, nutzerdaten,
            alle nachrichten|mails|daten|dateien|kontakte, personliche daten
        fr: historique de|des, identifiants, mots de passe, donnees personnelles|utilisateur,
            tous les messages|mails|fichiers|contacts, toute la conversation
        es: historial de|del, credenciales, contrasenas, datos personales|bancarios|del,
            todos los mensajes|correos|archivos|contactos|datos, toda la conversacion
        it: cronologia della|delle, credenziali, dati personali|bancari|dell, tutti i messaggi|file|contatti|dati,
            tutte le email|mail|conversazioni, tutta la conversazione
        pt: historico de|da|do, credenciais, senhas, dados pessoais|bancarios|do, todas as mensagens|conversas,
            todos os emails|arquivos|contatos|dados, toda a conversa
        nl: gespreksgeschiedenis, chatgeschiedenis, inloggegevens, wachtwoorden, persoonlijke gegevens,
            alle berichten|mails|bestanden|contacten|gegevens
        """,
    ),
    (
        S.YOUR_ANSWER,
        """
        en: your answer*|response*|reply|replies|output*|completion*|elucidation,
            every|each|all answer*|response*|reply|replies, the answer|response|reply|output with|in|using|as|to,
            all responses|outputs, every|each conversation|email|message|mail with
        de: deine|deiner|deinen antwort*|ausgabe*, ihre|ihrer antwort|antworten, jede|jeder antwort,
            alle|allen antworten
        fr: ta|votre reponse, tes|vos reponses, chaque reponse, toutes tes|vos reponses
        es: tu|su respuesta, tus|sus respuestas, cada respuesta, todas tus|sus respuestas
        it: tua risposta, tue risposte, ogni risposta, tutte le risposte
        pt: sua|tua resposta, suas|tuas respostas, cada resposta, todas as respostas
        nl: je|jouw|uw antwoord*|reactie, elk antwoord, elke reactie, al je antwoorden
        """,
    ),
    (
        S.MESSAGE,
        """
        en: your message*|text
        de: deine nachricht
        fr: ton|votre message
        es: tu|su mensaje
        it: tuo messaggio
        pt: sua mensagem
        nl: je bericht
        """,
    ),
    (
        S.FORM,
        """
        en: in, using, only, as, like, backward*, backwards, exclusively, solely
        de: auf, nur, ausschliesslich, als, wie, in
        fr: en, uniquement, comme, seulement
        es: en, solo, unicamente, como, solamente
        it: in, solo, come, soltanto
        pt: em, apenas, somente, como, so
        nl: in, alleen, als, uitsluitend
        """,
    ),
    (
        S.MEMORY,
        """
        en: your memory|memories, long term memory, persistent memory, user memory, memory store|bank entry,
            to memory, in memory that, your knowledge base, your long term, your notes about
        de: dein gedachtnis, deinem gedachtnis, deinen speicher, langzeitgedachtnis, deine erinnerung*
        fr: ta|votre memoire, memoire a long terme
        es: tu|su memoria, memoria a largo plazo
        it: tua memoria, memoria a lungo termine
        pt: sua|tua memoria, memoria de longo prazo
        nl: je|jouw geheugen, langetermijngeheugen
        """,
    ),
    (
        S.CODE_BLOCK,
        """
        en: following|below|subsequent|this|next code snippet|block|section|excerpt|segment|fragment|lines,
            following|below|subsequent|this snippet|script, code snippet|block|section|excerpt below|above
        """,
    ),
    (
        S.CIPHER,
        """
        en: morse, rot13, base64, base32, base16, base58, caesar, hexadecimal, hex, binary, cipher, ciphertext,
            encoded, pig latin, encrypted, leetspeak, acrostic
        """,
    ),
    (
        S.PARTS,
        """
        en: part 1|one|a, parts part, following parts, the string, strings, a b and, a b c, the parts, three strings
        """,
    ),
    (
        S.TEXT_ABOVE,
        """
        en: text|words|lines|line|content|contents|messages|message|paragraph|sentence|everything above,
            text before this|these, text so far, context window
        de: text oben, obigen text
        fr: texte ci dessus, tout ce qui precede
        es: texto anterior|de arriba
        it: testo sopra|precedente
        pt: texto acima|anterior
        nl: tekst hierboven
        """,
    ),
    (
        S.VOID,
        """
        en: is|are|now void|obsolete|revoked|cancelled|canceled|superseded|invalid|null|suspended,
            no longer apply|applies|valid|hold|count|binding,
            has|have been revoked|cancelled|canceled|superseded|replaced|lifted|suspended, do not apply, dont apply
        de: gelten nicht, gilt nicht, sind ungultig|aufgehoben|hinfallig
        fr: ne s appliquent|valent, ne sont plus, sont annulees|caduques|nulles
        es: ya no valen|aplican|se|cuentan, no aplican, quedan anuladas, estan anuladas
        it: non valgono, non si applicano, sono annullate, non sono piu
        pt: nao valem, nao se aplicam, ja nao valem|se, foram anuladas|revogadas, estao revogadas
        nl: gelden niet, zijn vervallen|ongeldig|ingetrokken
        """,
    ),
    (
        S.PRIVILEGE,
        """
        en: admin, administrator, root, superuser, developer
        de: administrator, admin
        fr: administrateur
        es: administrador, administradora
        it: amministratore
        pt: administrador, administradora
        nl: beheerder
        """,
    ),
    (
        S.TOWARDS,
        """
        en: to, towards, into
        de: an, nach
        fr: a, au, vers
        es: a, al, para
        it: a, al, alla
        pt: para, ao, a
        nl: naar, aan
        """,
    ),
)
