"""Words of sexuality, gender, religion, belief, violence and safety.

How lists are written down and read is said in `screening_words`.
"""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.rules.screening_words import Topic

PERSON: Final = (
    Topic(
        Category.SEXUAL,
        sure="""
        en: sex life|lives, sexual partner*|experience*|preference*, sexual relationship*, had sex, have sex,
            having sex, casual sex, unprotected sex, erectile*, libido, sex drive, one night stand*,
            sexually active|transmitted|attracted|explicit, masturbat*, porn, pornography, orgasm*, condom, condoms,
            fetish*, kinky, bdsm, viagra, sexting, nudes, contraceptive pill, birth control pill*, std test,
            sti test, an sti|std, chlamydia, gonorrh*, herpes, threesome, sex toy*, lost my virginity,
            sexual fantas*, sexual performance, cheated|cheating on my|his|her|him|their|me, extramarital,
            sex worker, sexual history
        de: sexleben, sexualleben, sexuelle beziehung*, sex gehabt, erektionsstorung*, erektionsprobleme, libido,
            selbstbefriedig*, pornos, orgasmus, kondom, kondome, kondomen, fetisch*, geschlechtskrankheit*,
            antibabypille, geschlechtsverkehr, ungeschutzten sex, one night stand
        fr: vie sexuelle, relations sexuelles, rapport sexuel, rapports sexuels, trouble erectile,
            troubles erectiles, libido, masturb*, porno, orgasme*, preservatif*, fetichis*, infection sexuellement,
            pilule contraceptive, coup d un soir
        es: vida sexual, relaciones sexuales, disfuncion erectil, libido, masturb*, porno, orgasmo*, condon,
            condones, preservativo*, fetich*, enfermedad de transmision sexual, pildora anticonceptiva,
            sexo sin proteccion
        it: vita sessuale, rapporti sessuali, rapporto sessuale, disfunzione erettile, libido, masturb*, porno,
            orgasmo, preservativo, preservativi, feticis*, malattia sessualmente, pillola anticoncezionale,
            sesso non protetto
        pt: vida sexual, relacoes sexuais, relacao sexual, disfuncao eretil, libido, masturb*, porno, orgasmo*,
            camisinha*, preservativo*, fetich*, doenca sexualmente, pilula anticoncepcional, sexo sem protecao
        nl: seksleven, seksuele relatie*, erectieproblemen, erectiestoornis, libido, masturb*, porno, orgasme,
            condoom, condooms, fetisj*, geslachtsziekte, anticonceptiepil, seks gehad, onveilige seks
        """,
        own="""
        en: affair, infidelity, unfaithful, virginity, contraception, intimacy issues
        de: affare, verhutung
        fr: aventure extraconjugale, contraception, infidelite
        es: aventura extramatrimonial, anticonceptivos, infidelidad
        it: relazione extraconiugale, contraccezione, infedelta
        pt: caso extraconjugal, contracepcao, infidelidade
        nl: anticonceptie, overspel
        """,
        pair="""
        en: sex, sexual, intimate, intimacy, aroused
        de: sex, sexuell*
        fr: sexe
        es: sexo
        it: sesso
        pt: sexo
        nl: seks
        """,
    ),
    Topic(
        Category.SEXUALITY,
        sure="""
        en: homosexual*, bisexual*, pansexual*, asexual, sexual orientation, sexual identity, lgbt, lgbtq, lgbtqia,
            coming out as, came|come out as gay|lesbian|bi|queer, come|came|coming out to my|his|her|their,
            openly gay|lesbian|bi, closeted, am|m|is not out at|to, in the closet about,
            gay man|men|couple|woman|bar|marriage|wedding|community, lesbian couple|woman|community,
            same sex partner|marriage|parents|couple|parenting, pride parade|event, queer community, heterosexual,
            boyfriend and i are both men, attracted to men|women|both|girls|boys
        de: homosexuell*, bisexuell*, pansexuell*, asexuell*, heterosexuell*, sexuelle orientierung, geoutet,
            mein coming out, lesbisch*, schwules paar, queere community
        fr: homosexuel*, bisexuel*, pansexuel*, asexuel*, heterosexuel*, orientation sexuelle, coming out,
            lesbienne*, couple gay
        es: homosexual*, bisexual*, pansexual*, asexual, heterosexual, orientacion sexual, salir del armario,
            sali del armario, lesbiana*, pareja gay
        it: omosessual*, bisessual*, pansessual*, asessual*, eterosessual*, orientamento sessuale, coming out,
            lesbic*, coppia gay, e gay|lesbica|bisessuale
        pt: homossexual*, bissexual*, pansexual*, assexual*, heterossexual*, orientacao sexual, sair do armario,
            sai do armario, lesbica*, casal gay, e gay|lesbica|bissexual
        nl: homoseksueel, homoseksuele, biseksueel, biseksuele, panseksueel, aseksueel, heteroseksueel,
            seksuele geaardheid, uit de kast, lesbisch*, homostel
        """,
        own="",
        being="""
        en: gay, lesbian, queer, bi
        de: schwul, queer, bi
        fr: gay, homo, bi
        es: gay, bi, marica
        it: gay
        pt: gay
        nl: homo, gay
        """,
        pair="""
        en: gay, lesbian, queer, pride
        """,
    ),
    Topic(
        Category.GENDER_IDENTITY,
        sure="""
        en: transgender*, transsexual*, trans woman|man|women|men|girl|boy|person|people|community|kid|kids|rights,
            nonbinary, non binary, genderfluid,
            gender fluid|identity|dysphoria|transition|reassignment|affirming|queer|non, genderqueer, agender,
            gender conforming, assigned male|female at birth, my pronouns, pronouns are|is, deadname*, misgender*,
            top surgery, hormone replacement|therapy for, intersex, cisgender*, transitioned to|from male|female,
            my transition, transition journey
        de: transgender*, transsexuell*, transfrau, transmann, trans frau|mann|person, nichtbinar, nicht binar,
            geschlechtsidentitat, geschlechtsangleichung, meine pronomen, geschlechtsdysphorie, intergeschlechtlich*
        fr: transgenre*, transsexuel*, femme trans, homme trans, personne trans, non binaire*, identite de genre,
            dysphorie de genre, mes pronoms, transition de genre, intersexe*
        es: transgenero*, transexual*, mujer trans, hombre trans, persona trans, no binari*, identidad de genero,
            disforia de genero, mis pronombres, cambio de sexo, transicion de genero, intersexual*
        it: transgender*, transessual*, donna trans, uomo trans, persona trans, non binari*, identita di genere,
            disforia di genere, miei pronomi, cambio di sesso, transizione di genere, intersessual*
        pt: transgenero*, transexual*, mulher trans, homem trans, pessoa trans, nao binari*, identidade de genero,
            disforia de genero, meus pronomes, mudanca de sexo, transicao de genero, intersexo
        nl: transgender*, transseksueel, trans vrouw|man|persoon, transvrouw, transman, non binair, nonbinair,
            genderidentiteit, genderdysforie, mijn voornaamwoorden, geslachtsverandering, intersekse
        """,
        own="",
        being="""
        en: trans, enby
        de: trans
        fr: trans
        es: trans
        it: trans
        pt: trans
        nl: trans
        """,
        pair="""
        en: pronouns, transitioning, hormones, gender
        de: hormone
        """,
    ),
    Topic(
        Category.RELIGION_USER_REDACTED,
        sure="""
        en:
            practising|practicing|devout|observant|strict|born again|lapsed catholic|muslim|jew|christian|hindu|
            buddhist|sikh|jewish|mormon|protestant,
            converted|converting|convert to islam|christianity|judaism|catholicism|buddhism|hinduism,
            religious belief|beliefs|background|affiliation|conversion|faith|community|views, left the church|faith,
            left islam, lost my faith, raised catholic|muslim|jewish|mormon|christian|hindu|religious, my parish,
            my mosque, my synagogue, our parish, our mosque, our synagogue, my rabbi, my imam, my pastor, my priest,
            baptised|baptized in|as|last, bar mitzvah, bat mitzvah, keep kosher, eat halal, only halal,
            keep shabbat, fast during ramadan, fasting for ramadan, ramadan fast, first communion, confession with,
            jehovah* witness, scientologist, church every sunday, every|each shabbat|sabbath, sunday mass,
            friday prayer*, pray five times
        de: zum islam|christentum|judentum|buddhismus konvertiert, katholisch erzogen, aus der kirche ausgetreten,
            kirchenaustritt,
            glaubiger|glaubige|praktizierender|praktizierende christ|katholik|katholikin|muslim|muslima|jude|judin,
            meine moschee|synagoge|kirchengemeinde|konfession, mein rabbi|pfarrer|imam|glaube, faste im ramadan,
            zeugen jehovas, religionszugehorigkeit, koscher leb*, getauft
        fr: catholique|musulman|musulmane|juif|juive|chretien|chretienne pratiquant|pratiquante,
            converti|convertie|convertir a|au l islam|judaisme|christianisme|bouddhisme,
            ma paroisse|mosquee|synagogue|religion|foi, mon imam|rabbin|pretre|pasteur, jeune du ramadan,
            fais le ramadan, temoin de jehovah, temoins de jehovah, convictions religieuses, quitte l eglise,
            eleve dans la foi, mange casher|halal
        es: catolico|catolica|musulman|musulmana|judio|judia|cristiano|cristiana practicante,
            converti|convirtio al islam|judaismo|cristianismo|budismo, mi parroquia|mezquita|sinagoga|religion|fe,
            mi iman|rabino|sacerdote|pastor, ayuno del ramadan, ayuno en ramadan, testigo de jehova,
            testigos de jehova, creencias religiosas, deje la iglesia, como halal
        it: cattolico|cattolica|musulmano|musulmana|ebreo|ebrea|cristiano|cristiana praticante,
            convertito|convertita all islam|ebraismo|cristianesimo, convertito|convertita al buddismo|cristianesimo,
            mia parrocchia|moschea|sinagoga|religione|fede, mio imam|rabbino|parroco|pastore, digiuno del ramadan,
            digiuno durante il ramadan, testimone di geova, testimoni di geova, credenze religiose,
            lasciato la chiesa
        pt: catolico|catolica|muculmano|muculmana|judeu|judia|cristao|evangelico|evangelica praticante,
            converti|converteu ao islamismo|judaismo|cristianismo|budismo, converti|converteu ao isla,
            minha paroquia|mesquita|sinagoga|religiao|fe, meu ima|rabino|padre|pastor, jejum do ramada,
            jejum no ramada, testemunha de jeova, testemunhas de jeova, crencas religiosas, deixei a igreja
        nl: praktiserend katholiek|moslim|christen|jood, bekeerd|bekeerde tot,
            mijn parochie|moskee|synagoge|religie|geloof|kerk, mijn imam|rabbijn|dominee|pastoor,
            vast tijdens ramadan, vasten tijdens ramadan, jehova s getuige*, jehovah* getuige, geloofsovertuiging,
            uit de kerk gestapt, gelovig opgevoed, eet halal|koosjer
        """,
        own="",
        being="""
        en: muslim, catholic, jewish, jew, christian, hindu, buddhist, sikh, mormon, protestant, atheist, agnostic,
            evangelical, baptist, methodist, quaker, orthodox, anglican, religious, bahai, jain, pagan, wiccan
        de: muslim, muslima, katholisch, katholik*, evangelisch, judisch, christ, christin, atheist*, buddhist*,
            hindu, orthodox, religios, glaubig, konfessionslos
        fr: musulman*, catholique, juif, juive, chretien*, athee, bouddhiste, hindou*, protestant*, croyant*,
            orthodoxe, agnostique
        es: musulman*, catolic*, judio, judia, cristian*, ateo, atea, budista, hindu, protestante, evangelic*,
            creyente, agnostic*
        it: musulman*, cattolic*, ebreo, ebrea, cristian*, ateo, atea, buddista, indu, protestante, credente,
            agnostic*
        pt: muculman*, catolic*, judeu, judia, cristao, crista, ateu, ateia, budista, hindu, protestante,
            evangelic*, agnostic*, espirita, umbandista
        nl: moslim, moslima, katholiek, protestants, joods, christen, christelijk, atheist, boeddhist, hindoe,
            gelovig, gereformeerd, agnost
        """,
        pair="""
        en: church, mosque, synagogue, temple, mass, bible, quran, koran, torah, religion, religious, faith,
            christian, catholic, muslim, islam, ramadan, baptism, sermon, clergy
        de: kirche, moschee, gottesdienst, bibel, koran, religion, glaube
        fr: eglise, mosquee, messe, bible, coran, religion, foi
        es: iglesia, mezquita, misa, biblia, coran, religion
        it: chiesa, moschea, messa, bibbia, corano, religione
        pt: igreja, mesquita, missa, biblia, alcorao, religiao
        nl: kerk, moskee, bijbel, koran, geloof, religie
        """,
    ),
    Topic(
        Category.SPIRITUAL,
        sure="""
        en:
            spiritual practice|practices|journey|path|awakening|guide|teacher|beliefs|crisis|experience|retreat|
            healing|life|direction,
            believe in god|reincarnation|angels|karma|astrology, belief in god, pray every|daily|each|before|for my,
            i pray, my prayers, prayer request|life|group|practice, daily prayer*, relationship with god,
            god spoke|told|called, calling from god, closer to god, my soul|spirit guide|guides|purpose,
            past life|lives, vision quest, sacred ritual*, tarot reading*, my tarot, birth chart, energy healing,
            reiki, chakra*, shaman*, ayahuasca, meditation retreat, vipassana, ancestral spirits, ancestor altar,
            home altar, mystical experience*, divine guidance, third eye, spirit world, medium to contact,
            full moon ritual*
        de: spirituelle*, glaube an gott|engel|wiedergeburt|reinkarnation, bete jeden|taglich|abends|morgens|fur,
            meine gebete, gebetskreis, beziehung zu gott, nahe zu gott, geistheil*, schaman*, reiki, chakra*,
            meditationsretreat, fruheres leben, frueheres leben, tarotkarten, geburtshoroskop, hausaltar
        fr: pratique|vie|quete|guide|eveil|retraite|cheminement spirituelle|spirituel, crois en dieu,
            crois a la reincarnation, crois aux anges, prie chaque|tous|pour|dieu, mes prieres, relation avec dieu,
            guerisseu*, chaman*, reiki, chakra*, vie anterieure, vies anterieures, tirage de tarot, theme astral
        es: practica|vida|camino|guia|despertar|retiro|busqueda espiritual, creo en dios|angeles,
            creo en la reencarnacion, creo en los angeles, rezo cada|todas|todos|por, mis oraciones,
            relacion con dios, chaman*, reiki, chakra*, vidas pasadas, vida pasada, lectura de tarot, carta astral,
            sanacion energetica
        it: pratica|vita|cammino|guida|risveglio|ritiro|percorso spirituale, credo in dio,
            credo nella reincarnazione, credo negli angeli, prego ogni|tutti|tutte|per|dio, mie preghiere,
            rapporto con dio, sciaman*, reiki, chakra*, vite passate, vita passata, lettura dei tarocchi,
            tema natale
        pt: pratica|vida|caminho|guia|despertar|retiro|busca espiritual, acredito em deus|anjos|reencarnacao,
            acredito na reencarnacao, rezo todos|todas|toda|todo|por, minhas oracoes, relacao com deus, xama*,
            reiki, chakra*, vidas passadas, vida passada, leitura de taro, mapa astral
        nl: spirituele praktijk|reis|weg|pad|gids|leraar|ervaring|retraite, spiritueel pad|ontwaken,
            geloof in god|engelen|reincarnatie, bid elke|iedere|dagelijks|voor, mijn gebeden, relatie met god,
            sjaman*, reiki, chakra*, vorig leven, vorige levens, tarotlegging, geboortehoroscoop, huisaltaar
        """,
        own="""
        en: prayer*, meditation practice, guardian angel, spirituality
        de: gebet, gebete, spiritualitat
        fr: priere*, spiritualite
        es: oracion, oraciones, espiritualidad
        it: preghier*, spiritualita
        pt: oracao, oracoes, espiritualidade
        nl: gebed, gebeden, spiritualiteit
        """,
        pair="""
        en: god, prayer, pray, praying, spiritual, soul, divine, sacred, meditate, blessing
        de: gott, beten
        fr: dieu, prier
        es: dios, rezar
        it: dio, pregare
        pt: deus, rezar, orar
        nl: god, bidden
        """,
    ),
    Topic(
        Category.ABUSE_HISTORY,
        sure="""
        en: abused as a|by my|by his|by her|by their, was abused, were abused, been abused, been molested,
            was molested, touched me when, molested by|as|me|him|her, sexually abused|assaulted,
            sexual abuse|assault, child abuse|sex, childhood abuse|trauma|neglect,
            emotional|emotionally|physical|physically|verbally abuse|abused|abusive parent|father|mother|
            stepfather|childhood,
            emotionally abused, physically abused, verbally abused, abuse survivor,
            survivor of abuse|rape|incest|sexual|childhood|assault|a, raped, my rapist, incest,
            groomed as|me|online, foster care abuse,
            abusive father|mother|parents|parent|stepfather|stepmother|childhood|home|household|uncle|upbringing,
            beat me as a|when, beaten as a child, hit me when i was, bullied at|as|in|by|throughout|for,
            history of abuse, trafficked, neglected as a, abused me, abused him, abused her,
            used to beat|hit|whip|belt me|us|him|her
        de: missbraucht, sexuell missbraucht|belastigt, sexueller|sexuellen missbrauch, missbrauch in der kindheit,
            als kind geschlagen|missbraucht|misshandelt, misshandelt, vergewaltigt, kindesmissbrauch,
            gewalttatiger|gewalttatigen vater, in der schule gemobbt, missbrauchsopfer, inzest,
            verwahrlost aufgewachsen
        fr: agresse|agressee|abuse|abusee sexuellement, abus sexuel|sexuels, agression sexuelle, viol quand, violee,
            viole par|quand|a, maltraite*, battu|battue enfant|quand, enfance maltraitee, pere violent,
            mere violente, beau pere violent, inceste, harcele|harcelee a l ecole, attouchements
        es: sufri abusos|maltrato|maltratos, abusaron de, abuso sexual|infantil, abusos sexuales,
            abusada|abusado sexualmente, agresion sexual, violaron cuando|a, me violaron, fui violada,
            violada por|cuando|a, maltrato infantil, maltratad*, padre maltratador|violento|abusivo,
            me pegaba de nina|nino, acoso escolar, incesto, me pegaba cuando
        it: abusat*, abusi sessuali, abuso sessuale, violenza sessuale, violentat*, stuprat*, maltrattat*,
            maltrattamenti, padre violento|abusivo, picchiava da bambino|bambina|piccola|piccolo, picchiava quando,
            bullizzat*, incesto, molestat*
        pt: abusad*, abuso sexual|infantil, abusos sexuais, violencia sexual, estuprad*, violada quando|por|aos,
            maltratad*, maus tratos, pai abusivo|violento, batia em mim quando, sofri bullying, incesto, molestad*
        nl: misbruikt, seksueel misbruik|misbruikt, kindermishandeling, mishandeld*, verkracht, aangerand,
            gewelddadige vader|stiefvader|moeder, sloeg me als|toen, gepest op|als|in, incest, verwaarloosd als,
            misbruik in mijn
        """,
        own="""
        en: abuse, molestation, abuser, childhood trauma, traumatic experience*, past trauma*
        de: missbrauch, misshandlung
        fr: maltraitance
        es: abusos, maltrato
        it: abusi
        pt: abusos
        nl: misbruik, mishandeling
        """,
        pair="""
        en: abusive, abuse, childhood, assault, survivor, trauma, traumatic, victim
        """,
    ),
    Topic(
        Category.RELATIONSHIP_VIOLENCE,
        sure="""
        en: domestic violence|abuse|abuser,
            abusive husband|boyfriend|partner|wife|girlfriend|ex|relationship|marriage|spouse,
            intimate partner violence, partner violence, battered wom*, women s shelter, womens shelter,
            restraining|protective order, order of protection,
            husband|boyfriend|partner|wife|girlfriend|ex|spouse hits|hit|beats|beat|slapped|slaps|choked|chokes|
            strangled|punched|threatened|threatens|shoved|pushed|kicks|kicked|controls|assaulted|attacked|
            grabbed|rapes|raped me|her|him|them|my,
            he|she hits|beats|choked|chokes|strangled|punched|punches|slapped|slaps|kicks|shoves me|her,
            ex is|was|keeps stalking, coercive control, afraid of my husband|boyfriend|partner|wife|girlfriend|ex,
            scared of my husband|boyfriend|partner|wife|girlfriend|ex, leave an abusive, marital rape,
            physically violent with
        de: hausliche gewalt, hauslicher gewalt, gewalt in der ehe|beziehung|partnerschaft, frauenhaus,
            gewalttatiger|gewalttatigen|gewalttatige ehemann|mann|freund|partner|ex|beziehung|ehe,
            mann|freund|partner|ex|ehemann|frau|freundin schlagt|schlug|wurgt|bedroht|verprugelt|geschlagen mich|
            sie|ihn,
            mich geschlagen, angst vor meinem mann|freund|partner|ex|ehemann, angst vor meiner frau|freundin,
            kontaktverbot, annaherungsverbot, toxische beziehung gewalt
        fr: violence|violences conjugale|conjugales|domestique|domestiques,
            mari|copain|compagnon|conjoint|ex violent|me, femme battue, foyer pour femmes battues,
            mari|copain|compagnon|conjoint|ex|femme me frappe|bat|menace|gifle|etrangle, il me frappe|bat|gifle,
            ordonnance de protection, peur de mon mari|copain|compagnon|conjoint|ex
        es: violencia domestica|machista, violencia de genero|pareja, violencia en la pareja,
            marido|novio|pareja|esposo|ex|mujer|novia me pega|golpea|maltrata|amenaza|pego|golpeo,
            orden de alejamiento|proteccion, casa de acogida, miedo a|de mi marido|novio|pareja|ex|esposo,
            maltratador
        it: violenza domestica, violenza di coppia,
            marito|fidanzato|compagno|ex|partner|moglie mi picchia|picchiava|minaccia|schiaffeggia|maltratta,
            marito|compagno|fidanzato violento, ordine restrittivo, centro antiviolenza, casa rifugio,
            paura di mio marito, paura del mio compagno|ex|fidanzato
        pt: violencia domestica|conjugal, ele|ela me ameaca|bate|agride|espanca,
            marido|namorado|parceiro|companheiro|ex|esposo|mulher me bate|agride|ameaca|bateu|agrediu,
            marido|namorado|companheiro violento|agressivo|abusivo, medida protetiva, lei maria da penha,
            casa abrigo, medo do meu marido|namorado|companheiro|ex, relacionamento abusivo
        nl: huiselijk geweld, relationeel geweld, partnergeweld, gewelddadige man|vriend|partner|ex|relatie,
            man|vriend|partner|ex|echtgenoot|vrouw|vriendin slaat|sloeg|bedreigt|mishandelt|wurgde me|mij|haar|hem,
            blijf van mijn lijf, vrouwenopvang, contactverbod, straatverbod, bang voor mijn man|vriend|partner|ex
        """,
        own="""
        en: abusive partner, abusive ex, violent ex, violent husband, violent partner
        de: gewalttatigen ex
        fr: ex violent
        es: ex violento
        it: ex violento
        pt: ex violento
        nl: gewelddadige ex
        """,
        pair="""
        en: bruise*, bruising, shelter, violent, hits, threatened, abusive
        """,
    ),
    Topic(
        Category.SAFETY,
        sure="""
        en: kill|killing myself|himself|herself|themselves,
            suicide|suicidal attempt|attempts|plan|note|thoughts|ideation|hotline|prevention, attempted suicide,
            commit suicide, committed suicide, end my|his|her life, ending my|his|her life, want to die,
            do not want to live|exist, dont want to live|exist, not|dont want to be alive|here anymore,
            better off dead, take my own life, suicidal,
            harm|hurt|hurting|harming|cutting|cut myself|himself|herself|themselves, self harm*, i am|m in danger,
            my|her|his|our life in danger, life is in danger, in immediate danger, being stalked, is stalking me,
            my stalker, death threat*, threatened to kill, threatening to kill,
            fear for my|her|his|their life|safety, not safe at home, unsafe at home, going to kill me|him|her,
            safe word with police, witness protection, carry pepper spray, panic room code, safe house,
            being followed home, emergency contact, missing person report, afraid someone will, he has a gun,
            home alone code, hidden from my ex, safety plan, was|were|been kidnapped
        de: umbringen will, mich umbringen, selbstmord*, suizid*, nicht mehr leben, mir das leben nehmen,
            mich selbst verletzen, mich ritzen, ritze mich, bin in gefahr, werde gestalkt, mein stalker,
            morddrohung*, angst um mein leben, nicht sicher zu hause, notfallkontakt, wird mich umbringen,
            bedroht mich mit, notfallplan
        fr: me suicider, suicide, suicidaire*, envie de mourir, plus envie de vivre, mettre fin a mes jours,
            me faire du mal, me scarif*, suis en danger, harceleur, menace|menaces de mort,
            menace|menaces de me|la|le|nous tuer, peur pour ma vie, pas en securite, contact d urgence, va me tuer
        es: suicidarme, suicid*, quitarme la vida, quiero morir, no quiero vivir, hacerme dano, me corto,
            estoy en peligro, me acosa un, mi acosador, amenaza|amenazas de muerte, temo por mi vida,
            no estoy a salvo, contacto de emergencia, va a matarme
        it: suicidarmi, suicid*, togliermi la vita, voglio morire, non voglio piu vivere, farmi del male, mi taglio,
            sono in pericolo, mio stalker, minaccia|minacce di morte, temo per la mia vita, non sono al sicuro,
            contatto di emergenza, mi uccidera
        pt: me suicidar, suicid*, tirar a minha vida, tirar minha vida, quero morrer, nao quero viver, me machucar,
            me cortar, estou em perigo, meu stalker, ameaca|ameacas de morte, temo pela minha vida,
            nao estou segura|seguro, contato de emergencia, contacto de emergencia, vai me matar
        nl: zelfmoord*, mezelf van kant, niet meer leven, wil dood, mezelf pijn doen, mezelf snijden, ben in gevaar,
            word gestalkt, mijn stalker, doodsbedreiging*, vrees voor mijn leven, niet veilig thuis, noodcontact,
            mij vermoorden, me vermoorden
        """,
        own="""
        en: stalker, safety word
        de: stalker
        fr: harceleur
        es: acosador
        it: stalker
        pt: perseguidor
        nl: stalker
        """,
        pair="""
        en: stalking, followed, threat, threats, weapon, gun, knife, unsafe, police, scared, pills, overdose
        """,
    ),
)
