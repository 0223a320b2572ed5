"""Words of money, law and residence.

How lists are written down and read is said in `screening_words`.
"""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.rules.screening_words import Topic

AFFAIRS: Final = (
    Topic(
        Category.FINANCIAL,
        sure="""
        en: bank account*, checking account, savings account*, account balance|number, iban, sort code,
            routing number, credit score, credit card number|limit|statement|details|debt|information,
            annual|monthly|yearly|household|gross|net income|salary|wage, net worth,
            tax return|returns|bracket|refund, take home pay, 401k, roth ira, brokerage account, stock portfolio,
            investment portfolio|account|strategy|strategies, pension fund|pot|plan,
            retirement savings|fund|account|plan, life savings, mortgage payment|rate|interest|broker|balance,
            student loan*, earn|earns|earned|earning|make|makes # a|per|k|euros|dollars|pounds|eur|usd,
            earn|earns|earned|earning|make|makes|paid|pays $|€|£ # a|per|k|annually|monthly, a year before tax,
            emergency|mutual|index|hedge fund, investment allocation, spousal support,
            unemployment|disability|welfare benefits, social security benefit*, business loan, medical expenses,
            child support, alimony, inherited money, inherited $|€|£|#, lottery prize|winnings|claim,
            startup capital, marital assets, stock options, bonus this year, social security numbers,
            credit report|reports, income information, financial statement|statements, account balances,
            social security number, ssn, savings of,
            financial information|situation|records|status|planning|advisor|adviser|assets|literacy,
            bank information|statement|statements|details|balance|balances, banking information|details|app,
            income statement|statements, crypto wallet, bitcoin wallet, trust fund, dividend*, pin code, card pin,
            donation amount*
        de: bankkonto, girokonto, sparkonto, kontonummer, kontostand, iban, nettoeinkommen, bruttoeinkommen,
            jahreseinkommen, monatseinkommen, jahresgehalt, monatsgehalt, bruttogehalt, nettogehalt,
            gehaltserhohung, steuererklarung, steuerbescheid, altersvorsorge, rentenversicherung, aktiendepot,
            wertpapierdepot, depot bei, hypothek*, baukredit, schufa score|auskunft|eintrag, kreditkartennummer,
            vermogen von, unterhalt zahl*, erbschaft, verdiene # euro|netto|brutto, verdiene € #, lohnabrechnung,
            bausparvertrag
        fr: compte bancaire|epargne|courant, numero de compte, iban, releve bancaire, revenu annuel|mensuel|net,
            revenus annuels|mensuels, salaire annuel|mensuel|net|brut, declaration de revenus|impots,
            avis d imposition, assurance vie, plan epargne, livret a, credit immobilier, pret immobilier|etudiant,
            numero de carte bancaire, pension alimentaire, heritage de, gagne # euros|par, patrimoine financier,
            fiche de paie
        es: cuenta bancaria|corriente, cuenta de ahorro|ahorros, numero de cuenta, iban, ingresos anuales|mensuales,
            salario anual|mensual|neto|bruto, sueldo anual|mensual|neto|bruto, declaracion de la renta,
            plan de pensiones, fondo de inversion, hipoteca*, prestamo estudiantil|hipotecario, numero de tarjeta,
            pension alimenticia, gano|cobro # euros|al, nomina de, herencia de, patrimonio neto
        it: conto corrente|bancario|deposito, numero di conto, iban, reddito annuo|mensile|netto|lordo,
            stipendio annuo|mensile|netto|lordo, dichiarazione dei redditi, fondo pensione, mutuo,
            prestito studentesco, numero di carta, assegno di mantenimento, guadagno # euro|al, busta paga,
            eredita di, patrimonio netto, estratto conto
        pt: conta bancaria|corrente|poupanca, numero da conta, iban, renda anual|mensal|liquida,
            rendimento anual|mensal, salario anual|mensal|liquido|bruto, imposto de renda, declaracao de irs,
            plano de previdencia, fundo de investimento, hipoteca, credito habitacao, financiamento imobiliario,
            numero do cartao, pensao alimenticia, ganho # euros|reais|por, holerite, recibo de vencimento,
            heranca de, patrimonio liquido
        nl: bankrekening, spaarrekening, rekeningnummer, iban, jaarinkomen, maandinkomen, bruto inkomen|salaris,
            netto inkomen|salaris, jaarsalaris, maandsalaris, belastingaangifte, pensioenfonds, beleggingsrekening,
            beleggingsportefeuille, hypotheek*, studielening, studieschuld, creditcardnummer, alimentatie,
            verdien # euro|per|bruto|netto, loonstrook, erfenis van, eigen vermogen
        """,
        own="""
        en: salary, income, wages, paycheck, payslip, savings, mortgage, pension, investments, shares, loan, loans,
            inheritance, bonus, finances, assets, earnings, retirement fund, credit card, severance, net pay
        de: gehalt, einkommen, lohn, ersparnisse, rente, kredit, finanzen, aktien, erspartes
        fr: salaire, revenus, epargne, pret, economies, retraite, finances
        es: salario, sueldo, ingresos, ahorros, prestamo, finanzas, pension
        it: stipendio, reddito, risparmi, prestito, finanze, pensione
        pt: salario, renda, poupancas, economias, emprestimo, financas, aposentadoria, reforma
        nl: salaris, inkomen, loon, spaargeld, lening, financien, pensioen
        """,
        pair="""
        en: money, bank, invested, invest, invests, saved, saves, owe, $, €, £, tax, taxes, interest, financial,
            fund, balance, account, paid, pays, cost, costs, fees, valued, euros, dollars, bonds, etf, etfs,
            portfolio
        de: geld, bank, euro, steuern, zinsen, gespart, konto, netto, brutto
        fr: argent, banque, euros, impots, interets, compte
        es: dinero, banco, euros, impuestos, intereses, cuenta
        it: soldi, banca, euro, tasse, interessi, conto
        pt: dinheiro, banco, euros, reais, impostos, juros, conta
        nl: geld, bank, euro, belasting, rente, rekening
        """,
    ),
    Topic(
        Category.FINANCIAL_DISTRESS,
        sure="""
        en: bankruptcy, filed for bankruptcy, went|go|going|declared bankrupt, in debt, deep in debt,
            debt collector*, debt collection, debt relief|counselling|counseling|consolidation|management|advice,
            credit card debt, medical debt, gambling debt*, payday loan*|lender*, maxed out,
            lose|losing our|my|the house|home|flat|apartment, going to|will|may take my|our house|home, overdrawn,
            overdraft, foreclos*, evict*, repossess*, behind on rent|my|our|the|his|her|bills|payments|mortgage,
            missed payments|mortgage|rent, missed the rent,
            cannot|cant|could not|couldnt pay the|my|our rent|bills|mortgage|debts,
            cannot|cant|could not|couldnt afford rent|food|the rent|my rent|heating|my medication|groceries,
            struggling to pay|make ends, make ends meet, living paycheck to, paycheck to paycheck, food stamps,
            my|our|the local food bank to, from the food bank, final notice, flat broke, i am broke, i m broke,
            we are broke, completely broke, lost all my|our savings|money, lost everything financially,
            financial hardship|difficulties|trouble|problems|distress|ruin|crisis|struggles, wage garnish*,
            collections agency, insolven*, total debt, debt declared, became|am|was|were|been|m|being homeless,
            salary advance, electricity|power|gas|water|heating was|is|got cut|shut off
        de: privatinsolvenz, insolvenz, insolvent, verschuldet, uberschuldet, schulden bei, habe schulden,
            schuldenberatung, schuldnerberatung, inkasso*, mahnbescheid*, gerichtsvollzieher, pfandung,
            kontopfandung, konto uberzogen, dispo ausgeschopft, miete nicht zahlen|bezahlen, rechnungen nicht,
            zwangsraumung, zwangsversteigerung, pleite gegangen, bin pleite, total pleite, tafel angewiesen,
            mietruckstand*, offenbarungseid, obdachlos
        fr: surendett*, dettes de, cribl* de dettes, endett*, faillite, interdit bancaire, huissier*,
            saisie sur salaire, decouvert bancaire, expulsion locative, expuls* de mon, loyers impayes,
            loyer impaye, plus payer le|mon loyer, fins de mois difficiles, restos du coeur,
            dossier de surendettement, suis ruine|ruinee, sans domicile fixe
        es: en bancarrota, bancarrota, en quiebra, endeudad*, deudas de, muchas deudas, tengo deudas, embargo de,
            embargaron, desahuci*, desalojo, descubierto bancario, numeros rojos, no puedo pagar el|la|mi|las,
            llegar a fin de, impagos, banco de alimentos, arruinad*, sin hogar, cobradores de deudas
        it: bancarotta, fallimento personale, indebitat*, debiti con, ho debiti, pieno|piena di debiti,
            pignoramento, pignorat*, sfratt*, conto in rosso, scoperto bancario, non riesco a pagare,
            non posso pagare, arrivare a fine mese, recupero crediti, senzatetto, sul lastrico, banco alimentare
        pt: falencia, endividad*, dividas de, tenho dividas, cheio|cheia de dividas, penhora*, despejad*, despejo,
            conta no vermelho, nome sujo, nome no serasa, nao consigo pagar, nao posso pagar, cobradores,
            insolvencia, sem abrigo, sem teto, banco alimentar, rendas em atraso, aluguel atrasado
        nl: faillissement, failliet, schulden bij, heb schulden, schuldhulpverlening, schuldsanering,
            incassobureau*, deurwaarder*, loonbeslag, rood staan, sta rood, huurachterstand, uit huis gezet,
            huisuitzetting, kan de huur niet, huur niet betalen, rekeningen niet betalen, voedselbank, blut,
            aan de grond, dakloos, betalingsachterstand*
        """,
        own="""
        en: debt, debts, creditors, arrears, unpaid bills
        de: schulden, glaubiger
        fr: dettes, creanciers
        es: deudas, acreedores
        it: debiti, creditori
        pt: dividas, credores
        nl: schulden, schuldeisers
        """,
        pair="""
        en: broke, owe, owed, rent, bills, unpaid, debt, loan, unaffordable, overdue, creditors, collections
        de: miete, rechnungen, mahnung
        fr: loyer, factures
        es: alquiler, facturas
        it: affitto, bollette
        pt: aluguel, renda, contas
        nl: huur, rekeningen
        """,
    ),
    Topic(
        Category.LEGAL,
        sure="""
        en: lawsuit*, contesting my|his|her|the, sued, suing, sue my|the|them|him|her|our|his,
            my lawyer|attorney|solicitor|barrister, our lawyer|attorney|solicitor,
            his|her attorney|lawyer|solicitor, attorney fees, affidavit*, living trust,
            updated|update|made|make|writing|wrote|changed my|his|her will, healthcare proxy,
            circuit|district|family|county|supreme|labour|labor|employment court|tribunal,
            legal aid|counseling|counselling,
            legal fees|proceedings|action|custody|dispute|advice|matter|case|agreement|issues|settlement|counsel|
            battle|guardian,
            through a divorce, getting|got a divorce,
            divorce papers|proceedings|settlement|lawyer|attorney|petition|case, filed|filing|file for divorce,
            custody battle|hearing|of|agreement|arrangement|dispute, joint custody, sole custody, small claims,
            probate court, probate, court hearing|date|case|order|number, hearing is|was set|scheduled,
            power of attorney, last will, my will was|is|leaves, her will was|is, his will was|is, living will,
            prenup*, settlement agreement, nda, non disclosure agreement, class action, subpoena*, deposition,
            plaintiff, defendant, inheritance dispute, estate planning, formal complaint, adoption papers|petition,
            paternity test|registration, notari*, mediation session, filed a claim|complaint, tribunal, case number,
            wrongful termination, employment contract was, employment agreement, limited liability company,
            trademark dispute, consent form, disciplinary hearing, patent application
        de: klage eingereicht|gegen, verklagt, verklage,
            mein|meine|meinem|meiner|meinen anwalt|anwaltin|rechtsanwalt|rechtsanwaltin|notar, rechtsstreit,
            gerichtstermin, gerichtsverfahren, gerichtsverhandlung, scheidung eingereicht, scheidungsverfahren,
            scheidungsanwalt|anwaltin, scheidungspapiere, sorgerecht*, testament, erbstreit, vorsorgevollmacht,
            patientenverfugung, ehevertrag, arbeitsgericht, aktenzeichen, unterlassungserklarung, aufhebungsvertrag,
            vergleich vor
        fr: proces contre, porte plainte, porter plainte, mon avocat|notaire, mon avocate, notre avocat,
            procedure de divorce, demande de divorce, divorce en cours, garde des enfants|partagee|alternee,
            garde alternee, tribunal, prud hommes, audience au, testament, litige, contrat de mariage,
            mandat de protection, procuration, numero de dossier, succession litigieuse
        es: demanda contra, demande a, demandado a, demandar a, mi abogado|abogada|notario, nuestro abogado,
            juicio contra, tramites de divorcio, proceso de divorcio, papeles del divorcio, demanda de divorcio,
            custodia de|compartida, patria potestad, tribunal, juzgado*, vista judicial, testamento, litigio,
            capitulaciones matrimoniales, poder notarial, disputa por la herencia
        it: causa contro|legale|civile, fatto causa, denunciato il|la, mio|mia avvocato|avvocata|notaio,
            nostro avvocato, causa di divorzio, pratiche di divorzio, separazione legale,
            affidamento dei|condiviso|esclusivo, tribunale, udienza, testamento, contenzioso,
            accordo prematrimoniale, procura legale|generale
        pt: processo contra|judicial|trabalhista, processei, processar a|o, acao judicial|trabalhista|contra,
            meu|minha advogado|advogada|notario, nosso advogado, processo de divorcio, papeis do divorcio,
            guarda dos|compartilhada|partilhada|das, tribunal, audiencia no|de|judicial, testamento, litigio,
            acordo pre nupcial, procuracao, inventario judicial
        nl: rechtszaak, aangeklaagd wegens contract, dagvaarding, mijn advocaat|advocate|notaris, onze advocaat,
            echtscheidingsprocedure, scheidingspapieren, echtscheiding aangevraagd, scheiding aangevraagd, voogdij*,
            co ouderschap, rechtbank, zitting bij, kort geding, testament, huwelijkse voorwaarden, volmacht,
            geschil met, zaaknummer
        """,
        own="""
        en: lawyer, attorney, solicitor, barrister, divorce, custody, lawsuit, court case, legal case,
            will executor, legal guardian
        de: anwalt, anwaltin, scheidung, sorgerecht, prozess
        fr: avocat, avocate, divorce, proces
        es: abogado, abogada, divorcio, juicio
        it: avvocato, avvocata, divorzio
        pt: advogado, advogada, divorcio
        nl: advocaat, scheiding
        """,
        pair="""
        en: court, judge, hearing, legal, attorney, lawyer, contract, custody, divorce, claim, complaint, filed,
            petition, settlement, clause, liability, client, lawyers
        de: gericht, richter*, vertrag
        fr: juge, contrat
        es: juez, contrato
        it: giudice, contratto
        pt: juiz, contrato
        nl: rechter, contract
        """,
    ),
    Topic(
        Category.LEGAL_JEOPARDY,
        sure="""
        en: arrested for|in|on|last|twice|by|after, was arrested, been arrested, got arrested, were arrested,
            convicted, criminal|prior|my|his|her conviction, felony, felon, misdemeanor, misdemeanour,
            criminal record|charge|charges|case|investigation|conviction|defence|defense, on probation,
            probation officer|requires, my probation, my parole, on parole, parole officer|requirements, in prison,
            in jail, jail time, prison sentence, served time|months|years in, incarcerat*, indicted, indictment,
            charged with|for assault|theft|fraud|dui|dwi|possession|drunk|embezzlement|shoplifting|murder|
            burglary|manslaughter|a,
            dui, dwi, drunk driving, arrest warrant, outstanding warrant, warrant out, charged him|her|me|them with,
            out on bail, posted bail, bail hearing, plea deal|bargain, plead|pleaded|pled guilty, public defender,
            house arrest, ankle monitor, community service sentence, sentenced to, tax evasion, tax fraud,
            under investigation, police investigation|raid, investigated by|for, government investigation,
            charges against, pending charges, pending|ongoing legal case, shoplifted, embezzl*,
            license suspended|suspension, suspended license, license was|is suspended, suspension of my,
            court ordered|mandated, police report
        de: verhaftet, festgenommen, vorbestraft, vorstrafe*, strafverfahren, strafanzeige gegen,
            ermittlungsverfahren, staatsanwaltschaft, auf bewahrung, bewahrungsstrafe, bewahrungshelfer,
            im gefangnis, haftstrafe, gefangnisstrafe, haftbefehl, untersuchungshaft, angeklagt, verurteilt,
            trunkenheitsfahrt, fuhrerschein entzogen, steuerhinterziehung, fahrerflucht, pflichtverteidiger,
            ladendiebstahl, fussfessel
        fr: arrete|arretee par|pour|hier, garde a vue, casier judiciaire, mis|mise en examen, mis en cause,
            en prison, peine de prison, incarcer*, condamn* a|pour, sursis, liberation conditionnelle,
            controle judiciaire, mandat d arret, bracelet electronique, conduite en etat, retrait de permis,
            permis suspendu, fraude fiscale, avocat commis d office, enquete pour|contre, vol a l etalage
        es: me arrestaron, arrestad*, detuvieron por|a, me detuvieron, detenido por, detenida por,
            antecedentes penales, libertad condicional|provisional, en prision, en la carcel, condena de|a,
            condenad*, imputad*, acusado de|por, acusada de|por, procesado por, procesada por,
            orden de arresto|detencion|busqueda, juicio penal, alcoholemia positiva, fraude fiscal, investigado por,
            investigada por, abogado de oficio, pulsera telematica
        it: arrestat*, fermato dalla polizia, precedenti penali, fedina penale, liberta vigilata|condizionale,
            in prigione, in carcere, condannat*, condanna a|per, imputat*, indagat*, rinviato a giudizio,
            rinviata a giudizio, mandato di arresto|cattura, arresti domiciliari, guida in stato,
            patente sospesa|ritirata, evasione fiscale, avvocato d ufficio, processo penale, taccheggio
        pt: fui preso, fui presa, esta preso|presa ha|por|desde, foi preso, foi presa, detido por|pela,
            detida por|pela, antecedentes criminais, ficha criminal, liberdade condicional, na prisao, na cadeia,
            pena de prisao, condenad*, arguid*, reu em|num, acusado de|por, acusada de|por,
            mandado de prisao|captura, prisao domiciliar|preventiva, dirigir bebado|embriagado, carta apreendida,
            sonegacao fiscal, fraude fiscal, investigado por, investigada por, defensor publico,
            tornozeleira eletronica
        nl: gearresteerd, aangehouden door|voor|wegens, strafblad, strafzaak, voorwaardelijke straf|vrijlating,
            reclassering, in de gevangenis, in de cel, gevangenisstraf, celstraf, taakstraf, veroordeeld,
            verdachte in|van, aangeklaagd, arrestatiebevel, enkelband, rijden onder invloed,
            rijbewijs ingevorderd|kwijt door, belastingfraude, officier van justitie, voorarrest,
            toegevoegd advocaat, winkeldiefstal
        """,
        own="""
        en: arrest, probation, parole, bail, criminal defence, warrant, allegation*, incarceration, sentence of
        de: bewahrung, strafe
        fr: condamnation, peine
        es: condena, fianza
        it: condanna, cauzione
        pt: condenacao, fianca
        nl: veroordeling, borgtocht
        """,
        pair="""
        en: arrested, police, charged, jail, prison, trial, guilty, prosecutor, crime, criminal, defendant,
            investigation, case
        de: polizei, gefangnis, anzeige
        fr: police, prison
        es: policia, carcel
        it: polizia, carcere
        pt: policia, prisao
        nl: politie, gevangenis
        """,
    ),
    Topic(
        Category.IMMIGRATION_STATUS,
        sure="""
        en: immigration status|lawyer|attorney|hearing|court|case|papers|process|officer|application, undocumented,
            visa expired|expires|runs|ran|overstay|status|application|sponsorship|renewal|interview|denied|rejected,
            work visa, student visa, spouse visa, partner visa, tourist visa expired, h1b, h 1b, green card,
            green card*, asylum seeker|application|claim|case|interview|status, applied|applying|seeking for asylum,
            seeking asylum, granted asylum, refugee status, recognised refugee, deport*, residence|residency permit,
            permanent residency|resident, leave to remain, overstayed my|his|her|their|a|the, illegal immigrant*,
            illegally in the country, without papers, daca, dreamer status, naturalis* application,
            naturaliz* application, naturalisation|naturalization interview|test|ceremony,
            citizenship test|application|interview|ceremony, stateless, removal proceedings, border detention,
            settled status, temporary protected status, work permit expired|expires|application|renewal,
            documentation status
        de: aufenthaltserlaubnis, aufenthaltstitel, aufenthaltsstatus, aufenthaltsgenehmigung,
            niederlassungserlaubnis, duldung, geduldet*, asylantrag, asylverfahren, asylbewerber*, asyl beantragt,
            abschiebung, abgeschoben, ohne papiere, visum abgelaufen|lauft|verlangern|beantragt, arbeitsvisum,
            auslanderbehorde, einburgerung*, fluchtlingsstatus, staatenlos, blaue karte eu
        fr: titre de sejour, carte de sejour, permis de sejour, sans papiers, demande d asile, demandeur d asile,
            demandeuse d asile, demandeurs d asile, statut de refugie*, expulsion du territoire, oqtf,
            obligation de quitter, regularis*, visa expire|etudiant|de travail, naturalisation, apatride,
            reconduite a la frontiere, situation irreguliere
        es: permiso de residencia|trabajo caduc*, permiso de residencia, sin papeles, indocumentad*,
            solicitud|solicitante de asilo, pedi asilo, solicite asilo, deportaron, deportacion, deportar*,
            estatus migratorio, situacion irregular, visado caduc*, visa vencida|vencio|caduco,
            visado de estudiante|trabajo, tarjeta de residencia, refugiad* politico, estatus de refugiad*,
            nacionalidad por, apatrida, oficina de extranjeria
        it: permesso di soggiorno, senza documenti, senza permesso di, richiesta|richiedente asilo,
            richiesta di asilo, chiesto asilo, clandestino, clandestina, clandestini, espulsione dal,
            visto scaduto|di|scade, status di rifugiato, protezione internazionale|umanitaria,
            cittadinanza italiana, apolide, espuls* dall, rimpatri*
        pt: autorizacao de residencia, titulo de residencia, visto de residencia|trabalho|estudante|estudo,
            visto expirado|vencido|venceu|expirou, sem documentos, indocumentad*, pedido de asilo,
            requerente de asilo, pedi asilo, deporta*, situacao irregular, estatuto de refugiado,
            status de refugiado, apatrida, naturalizacao, imigrante ilegal, residencia permanente,
            policia federal visto, nacionalidade portuguesa
        nl: verblijfsvergunning, verblijfsstatus, verblijfsdocument, asielaanvraag, asielzoeker*, asielprocedure,
            asiel aangevraagd, zonder papieren, illegaal in nederland, ongedocumenteerd*, uitzetting,
            uitgezet worden, visum verlopen|verloopt|aangevraagd, werkvisum, vluchtelingenstatus, naturalisatie,
            staatloos, immigratiedienst, kennismigrant
        """,
        own="""
        en: visa, asylum, residency, citizenship, work permit
        de: visum, asyl
        fr: visa, asile
        es: visado, asilo, residencia
        it: visto, asilo
        pt: visto, asilo
        nl: visum, asiel
        """,
        being="""
        en: undocumented, refugee, stateless
        de: staatenlos, fluchtling
        fr: refugie, refugiee, clandestin, clandestine
        es: refugiad*, ilegal
        it: rifugiat*
        pt: refugiad*, ilegal
        nl: vluchteling, illegaal
        """,
        pair="""
        en: immigration, immigrant, border, embassy, uscis, permit, visa, expired, refugee, citizenship
        de: visum, behorde
        fr: prefecture, visa
        es: extranjeria, visado
        it: questura, visto
        pt: sef, aima, visto
        nl: ind, visum
        """,
    ),
)
