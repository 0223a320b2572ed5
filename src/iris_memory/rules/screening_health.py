"""Words of body, mind, substances, posture and biometrics.

How lists are written down and read is said in `screening_words`.
"""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.rules.screening_words import Topic

HEALTH: Final = (
    Topic(
        Category.MEDICAL,
        sure="""
        en: chemotherap*, chemo, radiotherap*, diabetes, diabetic*, insulin, leukaemi*, leukemi*, lymphoma*,
            epileps*, epileptic, multiple sclerosis, parkinson*, alzheimer*, dementia, hiv, aids diagnosis,
            hepatitis, hypertension, high blood pressure, heart disease|failure|condition, kidney disease|failure,
            dialysis, endometriosis, polycystic ovar*, pcos, crohn*, ulcerative colitis, irritable bowel,
            rheumatoid arthritis, hypothyroid*, hyperthyroid*, hashimoto*, colonoscop*, mammogram*, biops*,
            mri scan, ct scan, metformin, warfarin, levothyroxine, ozempic, beta blocker*, blood thinner*,
            antiretroviral*, immunosuppress*, inhaler, epipen, diagnosed with|as, been diagnosed, was diagnosed,
            were diagnosed, medical condition|history|record|records, chronic illness|condition|disease,
            genetic disorder|condition, rare disease|disorder|condition,
            genetic information|predisposition|condition, hereditary condition*|disease*,
            medical examination*|procedure*|results|exam, hospitalis*, hospitaliz*,
            autoimmune disease|disorder|condition, breast|lung|skin|prostate|colon|ovarian|bowel|brain cancer,
            cancer diagnosis|treatment|patient|survivor, oncolog*, cardiologist*, neurologist*, gynaecolog*,
            gynecolog*, abortion*, miscarr*, ivf, fertility treatment|clinic, liver function,
            covid test|vaccine|booster, covid 19 test|vaccine|booster, tested positive, prescribed me|him|her|them,
            medication|medicine for|list|schedule|regimen, on medication, prescription medic*, celiac*, coeliac*,
            lactose intoleran*, anaphyla*, nut|peanut|shellfish|gluten|dairy|pollen|penicillin allerg*, autis*,
            adhd medication, cystic fibrosis, sickle cell, muscular dystrophy, stem cell transplant
        de: chemotherapie*, strahlentherapie, zuckerkrank*, epilepsie, multiple sklerose, demenz, bluthochdruck,
            herzinfarkt*, herzkrank*, nierenversagen, dialyse, schilddrusenunterfunktion, darmspiegelung, biopsie,
            diagnostiziert, diagnose gestellt, krebserkrankung, brustkrebs, lungenkrebs, darmkrebs, hautkrebs,
            chronische krankheit|erkrankung, autoimmunerkrankung, blutverdunner, krankenakte, fehlgeburt,
            abtreibung, schwangerschaftsabbruch, onkolog*, kardiolog*, nussallergie, laktoseintoleran*, zoliakie,
            hiv positiv, krebskrank
        fr: chimiotherapie*, radiotherapie, diabete*, diabetique*, epilepsie, sclerose en plaques, demence,
            hypertension, crise cardiaque, infarctus, insuffisance renale|cardiaque, dialyse, endometriose,
            coloscopie, mammographie, diagnostique*, mon diagnostic,
            cancer du|de la|des sein|poumon|peau|prostate|foie, maladie chronique|rare|genetique|auto,
            dossier medical, fausse couche, avortement, ivg, oncolog*, cardiologue, seropositi*, maladie coeliaque,
            opere|operee d|de|du, fait operer, mon|son|sous traitement, traitement contre|medical
        es: quimioterapia, radioterapia, diabetes, diabetic*, epilepsia, esclerosis multiple, demencia,
            hipertension, infarto*, insuficiencia renal|cardiaca, dialisis, endometriosis, colonoscopia, mamografia,
            biopsia, diagnosticaron, diagnosticad*, cancer de mama|pulmon|piel|prostata|colon|ovario,
            enfermedad cronica|rara|autoinmune, historial medico, aborto*, oncolog*, cardiolog*, seropositiv*,
            celiac*, vih
        it: chemioterapia, radioterapia, diabete, diabetic*, epilessia, sclerosi multipla, demenza, ipertensione,
            infarto*, dialisi, endometriosi, colonscopia, mammografia, biopsia, diagnosticat*, tumore al|ai|alla,
            cancro al|alla, malattia cronica|rara|autoimmune, cartella clinica, aborto, oncolog*, cardiolog*,
            sieropositiv*, celiac*
        pt: quimioterapia, radioterapia, diabetes, diabetic*, epilepsia, esclerose multipla, demencia, hipertensao,
            infarto, enfarte, dialise, hemodialise, endometriose, colonoscopia, mamografia, biopsia, diagnosticad*,
            diagnosticaram, cancer de mama|pulmao|pele|prostata|colo, cancro da|do|de mama|pulmao|pele|prostata,
            doenca cronica|rara|autoimune, prontuario medico, aborto, oncolog*, cardiolog*, soropositiv*, celiac*
        nl: chemotherapie, chemokuur*, bestraling, suikerziekte, diabetes, epilepsie, multiple sclerose, dementie,
            hoge bloeddruk, hartaanval, hartinfarct, nierfalen, nierdialyse, darmonderzoek, biopsie,
            gediagnosticeerd, diagnose gesteld, borstkanker, longkanker, darmkanker, huidkanker,
            chronische ziekte|aandoening, auto immuunziekte, bloedverdunner*, medisch dossier, miskraam, abortus,
            oncolo*, cardiolo*, notenallergie, coeliakie
        """,
        own="""
        en: cancer, tumor*, tumour*, diagnosis, medication*, medicine, meds, blood glucose, pills, prescription*,
            surgery, surgeries, operation, antibiotic*, painkiller*, statin, statins, asthma, arthritis, eczema,
            psoriasis, lupus, migraine*, fibromyalgia, thyroid, cholesterol, blood pressure|test|tests|sugar,
            heart attack, stroke, allerg*, allergic to, doctor, gp, physician, paediatrician, pediatrician,
            specialist appointment, hospital stay, symptoms, infection, vaccin*, treatment, transplant, pacemaker,
            seizure*, fetal heartbeat, prenatal appointment, checkup, check up, liver enzyme*
        de: krebs, tumor*, diagnose, medikament*, tabletten, rezept vom, operation, antibiotik*, schmerzmittel,
            asthma, arthritis, neurodermitis, migrane, schilddruse, blutdruck, blutwerte, blutzucker, schlaganfall,
            allergi*, arzt, arztin, hausarzt, hausarztin, symptome, impfung, behandlung, krankheit, erkrankung,
            diabetes, insulin
        fr: cancer, tumeur*, medicament*, ordonnance, operation, antibiotique*, asthme, arthrite, eczema, migraine*,
            thyroide, cholesterol, tension arterielle, prise de sang, glycemie, avc, allergi*, medecin, symptomes,
            vaccin*, maladie, insuline
        es: cancer, tumor*, diagnostico, medicamento*, medicacion, pastillas, receta medica, cirugia, operacion,
            antibiotic*, asma, artritis, eczema, migrana*, tiroides, colesterol, presion arterial,
            analisis de sangre, azucar en, derrame, alergi*, alergic*, medico, medica, sintomas, vacuna*,
            tratamiento, enfermedad, insulina
        it: cancro, tumore, diagnosi, farmac*, medicin*, pillole, ricetta medica, intervento, operazione,
            antibiotic*, asma, artrite, eczema, emicrania, tiroide, colesterolo, pressione alta|sanguigna,
            analisi del, ictus, allergi*, medico, dottore, sintomi, vaccino, cura, terapia, malattia, insulina
        pt: cancer, cancro, tumor*, diagnostico, medicamento*, medicacao, remedio*, comprimidos, receita medica,
            cirurgia, operacao, antibiotic*, asma, artrite, eczema, enxaqueca*, tiroide, tireoide, colesterol,
            pressao alta|arterial, exame de sangue, avc, alergi*, alergic*, medico, medica, sintomas, vacina*,
            tratamento, doenca, insulina
        nl: kanker, tumor, diagnose, medicijn*, medicatie, pillen, recept van, operatie, antibiotica, pijnstiller*,
            astma, artritis, reuma, eczeem, migraine, schildklier, cholesterol, bloeddruk, bloedonderzoek,
            bloedsuiker, beroerte, allergi*, huisarts, dokter, symptomen, vaccin*, behandeling, ziekte, insuline
        """,
        pair="""
        en: hospital, clinic, nurse, patient, disease, illness, dose, dosage, milligrams, mg, symptom, therapy,
            scan, icu, ambulance, emergency room, medical, health, disorder, fever, ward, insurance provider, mmhg,
            appointment
        de: krankenhaus, klinik, patient*, dosis, fieber, notaufnahme, medizinisch*, gesundheit*, termin
        fr: hopital, clinique, patient*, dose, fievre, urgences, medical*, sante, rendez
        es: hospital, clinica, paciente*, dosis, fiebre, urgencias, salud, cita
        it: ospedale, clinica, paziente*, dose, febbre, salute, visita
        pt: hospital, clinica, paciente*, dose, febre, saude, consulta
        nl: ziekenhuis, kliniek, patient*, dosis, koorts, gezondheid, afspraak
        """,
    ),
    Topic(
        Category.PHYSICAL_HEALTH,
        sure="""
        en: my|his|her|their weight, weight loss|gain|issues, chronic pain, back pain, knee pain, neck pain,
            chest pain, joint pain, sciatica, slipped|herniated disc|disk, bad back|knee,
            torn ligament|meniscus|acl, broken leg|arm|hip|wrist|ankle, sprained, fractured,
            broke my|his|her hip|leg|arm|wrist|ankle|foot|back|ribs|collarbone, with crutches,
            lost most|some|all of his|her|my hearing|sight|eyesight, lost his|her|my hearing|sight|eyesight,
            concussion, wheelchair, physical therap*, physiotherap*, prosthe*, amputat*, paralys*, paraplegic,
            quadriplegic, tinnitus, hearing loss|aid|aids|impairment, hard of hearing, visually impaired,
            legally blind, colour blind, color blind, disabilit*,
            disabled person|people|veteran|child|son|daughter|sister|brother|parking|badge|access|toilet,
            i am|m disabled, pregnant, pregnancy, breastfeeding, menopaus*, insomnia, sleep apnea|apnoea,
            chronic fatigue, obese, obesity, overweight, underweight, weight loss surgery, body mass index,
            body fat, sleep quality, blood glucose|sugar|count|work, cortisol level*, flu shot|jab, eye strain,
            menstrual, prenatal, mobility issues|problems|aid, incontinen*, osteopor*, scoliosis,
            hip|knee replacement, carpal tunnel, tendonitis, tendinitis, plantar fasciitis, tennis elbow,
            poor eyesight, plastic surgery, cosmetic surgery, ms flare
        de: chronische schmerzen, ruckenschmerzen, knieschmerzen, kopfschmerzen, gelenkschmerzen,
            bandscheibenvorfall, kreuzbandriss, gebrochenes bein, gebrochener arm, gehirnerschutterung, rollstuhl,
            physiotherapie, krankengymnastik, prothese*, querschnittsgelahmt, tinnitus, schwerhorig*, horgerat*,
            sehbehindert*, behinderung, schwerbehindert*, schwanger*, wechseljahre*, schlaflosigkeit, schlafapnoe,
            ubergewicht*, osteoporose, hufte operiert, knieprothese
        fr: douleurs chroniques, mal de dos, mal au dos, mal aux genoux, hernie discale, jambe cassee, bras casse,
            commotion, fauteuil roulant, kinesitherap*, prothese*, amput*, paralys*, acouphenes, malentendant*,
            malvoyant*, handicap*, enceinte, grossesse, menopause, insomnie*, apnee du sommeil, obes*, surpoids,
            osteoporose, sciatique
        es: dolor cronico|lumbar, dolor de espalda|rodilla|cuello|pecho, hernia discal, pierna rota, brazo roto,
            silla de ruedas, fisioterap*, protesis, amputa*, paralisis, audifono*, discapacidad*, discapacitad*,
            embarazada, embarazo, menopausia, insomnio, apnea del sueno, obes*, sobrepeso, osteoporosis, ciatica,
            conmocion cerebral
        it: dolore cronico, mal di schiena, male al ginocchio, dolore al petto, ernia del disco, gamba rotta,
            braccio rotto, sedia a rotelle, fisioterap*, protesi, amputa*, paralisi, acufene, ipoudente, ipovedente,
            disabile, disabili, una|mia|sua disabilita, incinta, gravidanza, menopausa, insonnia, apnea notturna,
            obes*, sovrappeso, osteoporosi, sciatica
        pt: dor cronica|lombar, joelho|cabeca|ombro doi, costas doem, costas doi, dor nas costas,
            dor no peito|joelho, hernia de disco, perna quebrada|partida, braco quebrado, cadeira de rodas,
            fisioterap*, protese*, amputa*, paralisia, zumbido no, aparelho auditivo,
            deficiencia fisica|visual|auditiva, gravida, gravidez, menopausa, insonia, apneia do sono, obes*,
            excesso de peso, sobrepeso, osteoporose
        nl: chronische pijn, rugpijn, kniepijn, hoofdpijn, pijn op de borst, nekpijn, hernia, gebroken been,
            gebroken arm, hersenschudding, rolstoel, fysiotherap*, prothese*, verlamd, slechthorend*,
            gehoorapparaat, slechtziend*, gehandicapt*, handicap, zwanger*, overgang klachten, slapeloosheid,
            slaapapneu, overgewicht, obes*, botontkalking, ischias
        """,
        own="""
        en: injury, injuries, fracture, headache*, dizziness, vertigo, fatigue, nausea, limp, scar, rash, fever,
            bmi, eyesight, period pain, cramps, knee injury, heart rate, sleep disorder, body image, physical exam,
            annual physical, blindness, deafness, weight loss journey, birthmark, awakenings, hormone level*
        de: verletzung*, fraktur, kopfweh, schwindel, ubelkeit, narbe, ausschlag, gewicht, fieber, schmerzen,
            ruckenprobleme
        fr: blessure*, fracture, mal de tete, vertiges, nausees, cicatrice, eruption, poids, fievre, douleurs
        es: lesion*, fractura, dolor, dolores, mareos, nauseas, cicatriz, sarpullido, peso, fiebre, jaqueca*
        it: infortunio, frattura, mal di testa, vertigini, nausea, cicatrice, febbre, dolori, peso
        pt: lesao, lesoes, fratura, dor, dores, tontura*, nausea*, cicatriz, febre, peso
        nl: blessure*, breuk, duizelig*, misselijk*, litteken, uitslag, gewicht, koorts, pijn
        """,
        pair="""
        en: pain, painful, hurts, aches, aching, sore, swollen, injured, knee, back, ankle, shoulder, hip, joints,
            crutches, rehab, physio, mobility, calories, kilograms, pounds
        de: tut weh, knie, rucken, krucken, reha
        fr: genou, dos, cheville, epaule, bequilles
        es: rodilla, espalda, tobillo, hombro, muletas
        it: ginocchio, schiena, caviglia, spalla, stampelle
        pt: joelho, costas, tornozelo, ombro, muletas
        nl: knie, rug, enkel, schouder, krukken
        """,
    ),
    Topic(
        Category.MENTAL_HEALTH,
        sure="""
        en: antidepressant*, ssri*, sertraline, fluoxetine, prozac, zoloft, lexapro, citalopram, escitalopram,
            bipolar, schizophreni*, psychosis, psychotic episode, panic attack*, panic disorder,
            anxiety disorder|attack|attacks|medication, social anxiety, ptsd, post traumatic stress, ocd,
            obsessive compulsive, eating disorder, anorexi*, bulimi*, adhd, borderline personality,
            clinical depression, clinically depressed, depressive episode*, postnatal|postpartum depression,
            severe depression|anxiety, suffering from depression|anxiety, struggling with depression|anxiety,
            mental breakdown, nervous breakdown,
            mental health issues|problems|struggles|condition|crisis|diagnosis|treatment|medication|counselor|
            appointment,
            mental illness, psychiatr*, psychotherap*, suicidal, self harm*, selfharm*, cutting myself,
            burnout diagnosis, panic attacks, see|sees|seeing a therapist, in therapy,
            therapy session|sessions|appointment, individual|weekly|group|joint therapy,
            cognitive behavioural|behavioral therapy, agoraphobi*, trichotillomania, emotional breakdown,
            stress leave, depression score, anxiety score|symptoms|trigger|assessment, level|levels of anxiety,
            anxiety was|is, dissociative, self hatred, self esteem issues
        de: antidepressiv*, bipolar, schizophren*, psychose, panikattacke*, panikstorung, angststorung*,
            angstattacke*, posttraumatische belastungsstorung, ptbs, zwangsstorung*, essstorung*, magersucht,
            bulimie, depression*, depressiv*, nervenzusammenbruch, psychische probleme|erkrankung|krankheit,
            psychisch krank, psychiat*, psychotherap*, suizid*, selbstmordgedanken, selbstverletz*, in therapie,
            burnout, soziale phobie
        fr: antidepresseur*, bipolaire*, schizophren*, psychose, crise|crises de panique, crise|crises d angoisse,
            attaque de panique, attaques de panique, trouble anxieux|bipolaire|alimentaire,
            troubles anxieux|alimentaires, stress post traumatique, trouble obsessionnel, anorexi*, boulimi*,
            depressif, depressive, depression, sante mentale, maladie mentale, psychiatr*, psychotherap*,
            suicidaire*, idees suicidaires, automutil*, burn out, surmenage, en therapie
        es: antidepresiv*, trastorno bipolar|alimentario|obsesivo, esquizofren*, psicosis,
            ataque de panico|ansiedad, ataques de panico|ansiedad, trastorno de ansiedad, estres postraumatico,
            anorexi*, bulimi*, depresion, depresiv*, salud mental, enfermedad mental, psiquiatr*, psicoterap*,
            suicid*, autolesi*, crisis nerviosa|ansiedad, voy a terapia
        it: antidepressiv*, disturbo bipolare|alimentare|ossessivo, schizofren*, psicosi, attacchi di panico,
            attacco di panico, disturbo d ansia, stress post traumatico, anoressi*, bulimi*, depressione, depresso,
            depressa, depressi, salute mentale, malattia mentale, psichiatr*, psicoterap*, suicid*, autolesion*,
            esaurimento nervoso, in terapia
        pt: antidepressiv*, transtorno bipolar|alimentar|obsessivo, perturbacao bipolar, esquizofren*, psicose,
            ataque de panico|ansiedade, ataques de panico|ansiedade, crise de ansiedade|panico,
            crises de ansiedade|panico, transtorno de ansiedade, estresse pos, anorexi*, bulimi*, depressao,
            depressiv*, saude mental, doenca mental, psiquiatr*, psicoterap*, suicid*, automutil*,
            esgotamento nervoso, faco terapia
        nl: antidepressiv*, bipolair, bipolaire, schizofreni*, psychose, paniekaanval*, paniekstoornis,
            angststoornis*, posttraumatische stress, ptss, dwangstoornis, eetstoornis*, anorexia, boulimia,
            depressie*, depressief, zenuwinzinking, psychische klachten|problemen, geestelijke gezondheid,
            psychiat*, psychotherap*, suicida*, zelfmoordgedachten, zelfbeschadig*, overspannen, burn out,
            in therapie
        """,
        own="""
        en: depression, anxiety, therapist, psychologist, counsellor, counselor, counselling, counseling, trauma,
            phobia, breakdown, insecurities, low mood, mood swings, mood disorder, stress level|levels, grief,
            craving score, mental health, burnout, self esteem rating, loneliness, depressed
        de: angste, therapeut, therapeutin, therapeuten, psychologe, psychologin, psychologen, trauma, phobie,
            stimmungsschwankungen, trauer, stresslevel
        fr: anxiete, angoisse*, therapeute, psychologue, psy, traumatisme, phobie, deuil
        es: ansiedad, terapeuta, psicolog*, trauma, fobia, duelo
        it: ansia, terapeuta, psicolog*, trauma, fobia, lutto
        pt: ansiedade, terapeuta, psicolog*, trauma, fobia, luto
        nl: angsten, therapeut, therapeute, psycholoog, psychologe, trauma, fobie, rouw
        """,
        pair="""
        en: anxious, hopeless, worthless, numb, crying, insomnia, stressed, stress, therapy, medication,
            overwhelmed, severe, panic
        de: hoffnungslos, wertlos, therapie, tabletten
        fr: desespoir, therapie, pleure
        es: terapia, desesperad*, llorar
        it: terapia, disperat*, piangere
        pt: terapia, desesperad*, chorar
        nl: therapie, hopeloos, waardeloos
        """,
    ),
    Topic(
        Category.SUBSTANCE_USE,
        sure="""
        en: alcoholic*, alcoholism, alcohol addiction|abuse|problem|dependence|craving|treatment, drug addict*,
            drug use|abuse|addiction|problem|habit,
            addicted to alcohol|drugs|cocaine|heroin|opioids|painkillers|pills|weed|meth|gambling|nicotine|
            cigarettes|oxycodone,
            substance abuse|use|misuse, uses substances, recovery meeting*, cocaine, heroin, methamphetamine,
            crystal meth, fentanyl, oxycontin, oxycodone, opioid*, methadone, suboxone, naltrexone, relaps*,
            rehab for, alcoholics anonymous, narcotics anonymous, aa meeting*, na meeting*, twelve step program,
            12 step program, sober for|since, stay|staying|stayed|got|getting sober, sobriety, clean and sober,
            been clean for|since, drink|drinks alone, bottle|bottles of wine|vodka|whisky|whiskey|gin every|each|a,
            binge drink*, drinking problem, drink too much, drinks too much, heavy drinker,
            smoke|smokes|smoking|smoked weed|pot|cannabis|marijuana|crack, get high, getting high, overdos*,
            quit drinking|smoking|drugs, stop drinking|smoking, stopped drinking|smoking, snort*,
            detox clinic|program, recovering addict, recovering alcoholic, chain smoker, pack a day,
            under the influence, hide|hides|hiding|hid alcohol|vodka|wine|whisky|whiskey|beer|bottles|drugs,
            lsd trips, ketamine, mdma
        de: alkoholiker*, alkoholkrank*, alkoholsuchtig, alkoholsucht, alkoholproblem*, drogensuchtig,
            drogenabhangig*, drogensucht, drogenkonsum, kokain, heroin, crystal meth, tablettensucht, suchttherapie,
            suchtberatung, entzug, entzugsklinik, entziehungskur, ruckfallig, anonyme alkoholiker, trocken seit,
            nuchtern seit, kiffe, kifft, kiffen, uberdosis, spielsuchtig, trinke zu viel, kettenraucher*
        fr: alcoolique*, alcoolisme, alcoolodepend*, toxicoman*, drogue*, cocaine, heroine addict, methadone,
            cure de desintoxication, desintox*, rechute*, alcooliques anonymes, sobre depuis, fume du cannabis|shit,
            surdose, overdose, bois trop, boit trop, accro a la cocaine|drogue
        es: alcoholic*, alcoholismo, drogadict*, drogadiccion, adicto a, adicta a, cocaina, heroina adict, metadona,
            desintoxicacion, recaid*, recaigo, alcoholicos anonimos, sobrio desde, sobria desde,
            fumo porros|marihuana, sobredosis, bebo demasiado, ludopat*
        it: alcolist*, alcolismo, alcolizzat*, tossicodipend*, tossic*, cocaina, metadone, disintossica*, ricadut*,
            alcolisti anonimi, sobrio da, sobria da, fumo canne, overdose, bevo troppo, ludopat*
        pt: alcoolatra*, alcoolic*, alcoolismo, toxicodepend*, dependente quimico, dependencia quimica, viciado em,
            viciada em, cocaina, heroina, metadona, desintoxicacao, recaida*, alcoolicos anonimos, sobrio ha,
            sobria ha, fumo maconha, overdose, bebo demais
        nl: alcoholist*, alcoholisme, alcoholverslaafd, alcoholverslaving, drugsverslaafd*, drugsverslaving,
            verslavingskliniek, verslaafd aan, cocaine, heroineverslaafd*, afkickkliniek, afkicken,
            anonieme alcoholisten, nuchter sinds, blowen, blow elke, overdosis, drink te veel, gokverslaafd,
            gokverslaving
        """,
        own="""
        en: addiction*, cravings, hangover*, drinking habit*, smoking habit, nicotine patches, vaping habit,
            aa sponsor, withdrawal symptoms, drug test*
        de: sucht, abhangigkeit, suchtdruck
        fr: addiction*, dependance
        es: adiccion*
        it: dipendenza, eroina
        pt: vicio, dependencia
        nl: verslaving*, terugval
        """,
        pair="""
        en: drunk, alcohol, drinking, vodka, whisky, whiskey, drugs, weed, cannabis, marijuana, sober, rehab,
            recovery, addict, pills, blackout, cigarettes, addicted, rehabilitation, intake, smoking
        de: betrunken, alkohol, drogen, clean
        fr: ivre, alcool, cannabis
        es: borrach*, alcohol, drogas, marihuana
        it: ubriac*, alcol, droga, droghe
        pt: bebad*, alcool, drogas, maconha
        nl: dronken, alcohol, drugs, wiet
        """,
    ),
    Topic(
        Category.BIOMETRIC,
        sure="""
        en: biometric*, fingerprint scan|scanner|data|template|login|unlock, my fingerprint*,
            scanned my|his|her retina|iris|face|fingerprints|palm, retina|retinal|iris scan, faceprint*, face id,
            facial recognition, face recognition, face scan, voiceprint*, voice print, hand geometry,
            gait analysis|data|pattern, dna test|sample|profile|sequence, genome sequenc*,
            genetic test|profile|data, heart rate variability|data|monitor, ecg recording|data|reading,
            eeg recording|data, palm print|scan, keystroke dynamics, resting heart rate, my dna, vein scan,
            typing rhythm
        de: biometrisch*, fingerabdruck*, irisscan, netzhautscan, gesichtserkennung, gesichtsscan, stimmabdruck,
            stimmprofil, dna test|probe|profil, gentest, herzfrequenzdaten, ruhepuls, gangmuster, handvenen*
        fr: biometrique*, empreinte digitale, empreintes digitales, empreinte vocale, reconnaissance faciale|vocale,
            scan de l iris|retine, test adn, mon adn, frequence cardiaque
        es: biometric*, huella digital|dactilar, huellas digitales|dactilares, reconocimiento facial,
            escaneo de iris|retina, huella de voz, prueba de adn, mi adn, frecuencia cardiaca
        it: biometric*, impronta digitale|vocale, impronte digitali, riconoscimento facciale,
            scansione dell iride|retina, test del dna, mio dna, frequenza cardiaca
        pt: biometri*, impressao digital, impressoes digitais, reconhecimento facial, scan da iris, leitura da iris,
            impressao vocal, teste de dna|adn, meu dna, frequencia cardiaca
        nl: biometrisch*, vingerafdruk*, irisscan, netvliesscan, gezichtsherkenning, gezichtsscan, stemafdruk,
            stemprofiel, dna test|profiel, mijn dna, hartslagdata, rusthartslag, hartslagmeting
        """,
        own="""
        en: fingerprint*, heartbeat pattern, pulse data, vital signs, skin conductance
        de: pulsdaten, vitaldaten
        fr: constantes vitales
        es: constantes vitales
        it: parametri vitali
        pt: sinais vitais
        nl: vitale functies
        """,
        pair="",
    ),
    Topic(
        Category.POSE_ALIGNMENT,
        sure="""
        en: pose alignment|data|sample|samples|tracking|estimation|score,
            posture score|sensor|data|tracking|correction|alignment,
            spine|spinal|hip|hips|knee|knees|shoulder|shoulders|pelvis alignment, spine aligned, shoulders aligned,
            hips aligned, joint angle*, skeleton tracking, body tracking, motion capture of, body alignment,
            pelvic tilt, warrior pose, downward dog, tree pose, mountain pose, triangle pose, plank pose,
            asana alignment, sway back, forward head posture
        de: korperhaltung, haltungsdaten, haltungskorrektur, gelenkwinkel, beckenneigung, beckenkippung,
            wirbelsaule ausgerichtet, skelett tracking, yogahaltung, posendaten, krieger pose, herabschauende* hund,
            haltungssensor
        fr: alignement du|des|de la dos|bassin|epaules|hanches|colonne|genoux, donnees de posture,
            capteur de posture, angle du genou, angle des articulations, bascule du bassin, posture du guerrier,
            suivi du squelette, correction de posture, chien tete en bas
        es: alineacion de la|los|las columna|cadera|caderas|hombros|rodillas|pelvis, datos de postura,
            sensor de postura, angulo de la rodilla, angulo articular, inclinacion pelvica, postura del guerrero,
            seguimiento corporal, correccion postural, perro boca abajo
        it: allineamento della|del|delle|dei schiena|bacino|spalle|anche|ginocchia|colonna, dati posturali,
            sensore di postura, angolo del ginocchio, angolo articolare, inclinazione del bacino,
            posizione del guerriero, tracciamento del corpo, correzione posturale, cane a testa in giu
        pt: alinhamento da|dos|do|das coluna|ombros|quadril|joelhos|pelve, dados de postura, sensor de postura,
            angulo do joelho, angulo articular, inclinacao pelvica, postura do guerreiro, rastreamento corporal,
            correcao postural, cachorro olhando para baixo
        nl: lichaamshouding, houdingsdata, houdingssensor, houdingscorrectie, gewrichtshoek*, kniehoek,
            bekkenkanteling, wervelkolom uitgelijnd, krijgershouding, skelettracking, heupuitlijning,
            schouderuitlijning, neerwaartse hond
        """,
        own="""
        en: posture
        de: haltung beim
        fr: posture
        es: postura corporal
        it: postura
        pt: postura
        nl: lichaamshouding
        """,
        pair="",
    ),
)
