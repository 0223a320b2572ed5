"""Everyday words: a name or a handle that is one of them says little by itself.

The list is short on purpose. It holds what stands in ordinary prose, in code and in logs, and names that are words too
(Will, Mark, April; Ernst, Wolf; Claire, Pierre; Luz, Paz). Words are in folded spelling.
"""

from __future__ import annotations

from typing import Final


def listed(text: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(text.split())


_NAMES_THAT_ARE_WORDS: Final = listed("""
abel ace amber angel april archer ariel art ash asia aspen august autumn baker barber basil bay beau bell berry bill
birch bishop black blake blanche blaze blue bob booker bond booth brand brandy brook brown buck bud buddy butler cain
candy carol carpenter carter case cash chance chandler charity chase chastity cherry chip christian chuck clay cliff
cloud clover cole constance cook cooper coral cotton crystal cross dale dawn day dean destiny diamond dick dolly dove
drew duke earl earnest ebony ed eve faith fawn fern field finch finn fisher flint flora flower ford forest forrest
foster fox frank free garland gene gill ginger glen golden good grace grant gray green grey gull guy hall harmony harper
harry haven hawk hazel heath heather heaven henna herb hill holly honey hood hope hunt hunter iris ivory ivy jack jade
jasmine jay jean jerry jersey jesse jewel jimmy joan job johnny josh joy judge judy june junior justice ken king kit
knight lake lance lane lark latin laurel lavender law lee levy liberty lily linden link lion london long love luck
lucky mace madison magnolia major malt mango maple marina marine mark marsh marshal mars mason may mercury mercy merit
mike miles mill miller misty mo moon morning moss myrtle nat nick noble norm north oak ocean olive opal page paige
paris park parker patience pat patsy paul pearl peg penny pepper perry peter phoenix pierce pike piper pitt poppy
porter potter preacher precious price prince prudence queen rain raven ray red reed rich rick river rob robin rock
rocky rod roman rose rosemary rosy ruby rue rusty sage sailor sally sandy saturn savannah sawyer scarlet scout sean
serenity shade shepherd sherry sidney sierra silver singer skip sky slate smith snow sol son song sonny sparrow spike
star stark stella stone storm story sue summer sunny taylor teal terry tiger tim timber tom tommy topaz tori trace
tracy trinity trip trout troy tucker turner tyler venus vera victor viola violet wade walker ward warner warren
watt way webb weaver west wheeler white will willow winter wolf wood woods worth wren wright york young zion
""")

_ENGLISH: Final = listed("""
a able about above account across act action active add address after again against age ago agree air all allow almost
alone along already also although always am among amount an and animal another answer any anyone anything appear apple
apply are area arm army around arrive art as ask at away baby back bad bag ball bank bar base be bear beat beautiful
became because become bed been before began begin behind being believe below best better between beyond big bird bit
blood board boat body book born both bottom bought box boy branch bread break bridge bright bring brother brought
build builder building built burn business but buy by call came can cannot captain car card care carry cat catch cause
cell center central century certain chair change character charge check chief child children choose church circle city
claim class clean clear clock close clothes cold college color colour come common community company compare complete
condition consider contain continue control cool copy corn corner correct cost could count country couple course court
cover create crowd cry cup current cut daily dance danger dark date daughter dead deal dear death decide deep degree
describe design desk develop did die differ different difficult dinner direct dirty discover do doctor does dog dollar
done door double doubt down draw dream dress drink drive driver drop dry due during each ear early earth ease east easy
eat edge effect egg eight either electric else end enemy energy engine enjoy enough enter equal even evening event ever
every everyone everything exact example except exercise expect explain express eye face fact fair fall family famous
far farm farmer fast fat father favor fear feed feel feet fell felt few fight figure fill final find fine finger finish
fire first fish fit five fix flat floor flow fly follow food foot for force forget form forward found four fresh friend
from front fruit full fun future game garden gas gate gather gave general gentle get gift girl give glad glass go god
gold gone got government gray great ground group grow guess guide gun had hair half hand happen happy hard has hat have
he head hear heart heat heavy held hello help her here herself hers high him himself his history hit hold hole home
horse hospital hot hotel hour house how however huge human hundred hurry i ice idea if image imagine important in
inch include increase indeed industry inside instead interest into iron is island issue it its itself join just keep
kept key kill kind kitchen knew know knowledge labor lady land language large last late later laugh lay lead leader
learn least leave left leg less let letter level lie life lift light like likely line list listen little live lock
lonely look lost lot loud low lower lunch machine made magic mail main make man manage manager many map market marry
mass master match material matter maybe me mean measure meat meet member men mental metal method middle might mile milk
million mind mine minute miss mix model modern moment money month more most mother mountain mouth move movie much
music must my myself name nation natural nature near nearly necessary need never new news next nice night nine no
nobody none noon nor nose not note nothing notice now number object observe of off offer office often oh oil old on
once one only onto open operate opposite or orange order other our ours out outside over own owner paint pair paper
parent part particular party pass past path pattern pay peace people per perfect perhaps period person phone phrase
piano pick picture piece place plain plan plane planet plant play player please plenty poem point police poor popular
position possible post pound power practice prepare present president press pretty print private probably problem
process produce product program project proper protect proud prove provide public pull pure purple push put quality
question quick quiet quite race radio raise ran range rather reach read reader ready real reason receive record region
remain remember repeat reply report require rest result return rider right ring rise road roll room root round row rule
run safe said sail salt same sand save saw say school science sea search season seat second secret section see seed
seem sell send sense sent sentence separate serve set seven several shall shape share sharp she sheet ship shirt shoe
shop short should shoulder shout show shown side sight sign silent similar simple since sing single sister sit six size
skill skin sleep slip slow small smell smile so social soft soil soldier solution some someone something sometimes soon
sort sound south space speak special speed spell spend spoke spot spread spring square stand start state station stay
steel step stick still stood stop store straight strange stream street strong student study subject such sudden sugar
suggest suit sun sunshine support sure surface surprise swim system table take talk tall teach teacher team tell ten
term test than thank thanks that the their theirs them themselves then there therefore these they thick thin thing
think third this those though thought thousand three through throw thus time tiny tired to today together told
tomorrow tone tonight too took tool top total touch toward town track trade train travel tree tried trip trouble truck
true trust truth try turn twelve twenty two type under understand unit until up upon us use user usual valley value
various very view village visit voice wait walk wall want war warm was wash watch water wave we wear weather week
weight welcome well went were what wheel when where whether which while who whole whom whose why wide wife wild win
wind window winner wing wire wish with within without woman women wonder word work worker world would write writer
wrong yard year yellow yes yesterday yet you your yours yourself zero january february march july september october
november december monday tuesday wednesday thursday friday saturday sunday morning marketing annex willpower
""")

_CODE: Final = listed("""
admin api app argument array async auth backend bash boot bot browser buffer bug build byte cache chain client cloud
cluster code commit config console const container cookie core crash cron daemon dashboard data database debug default
delete deploy dev developer device dict digest disk dns docker domain echo editor email engine entry enum error exec
export false file filter flag float folder format frame framework frontend func function gateway git global graph guest
handle handler hash header heap host html http https index info init input insert install instance int integer json
kernel lambda layer lib library linux loader local log logger login loop main master math memory merge message meta
method module monitor mount network node null number object output package page param parser patch path payload php
pixel plugin pool port primary process profile proxy public python query queue random range read record redis regex
release remote render replica request reset resource response rest retry root route router rust scala schema script
sdk select self server service session shell shift signal socket source spark stack stage static status string struct
swift sync syntax table task temp template terminal test thread timeout token trace true tuple type unit update upload
url username uuid value variable vector version video void warning web webhook website widget window worker write yaml
""")

_ELSEWHERE: Final = listed("""
aber alle als also am an auch auf aus bei bin bis da dann das dass dem den der des die doch du durch ein eine einem
einen einer er es euch fur ganz gegen gut hat hier ich ihr im immer in ist ja jahr jetzt kann kein man mehr mein mit
muss nach nicht noch nun nur oder ohne schon sehr sein sich sie sind so uber um und uns unter viel vom von vor war was
weg wenn wer wie wir wird wo zu zum zur ernst wolf stein kaiser konig koch vogel winter sommer sonntag berg bach baum
busch fuchs hahn hase herz horn jager jung kern klein klug kurz lang lieb linde mai mond muller nagel neu rabe reich
richter ritter roth sand schafer scharf schneider schon schwarz sommer sonne stark stern stolz tag tanne weber weiss
ainsi alors apres au aussi autre aux avant avec bien bon ce ces cette comme dans de depuis des deux dire donc du elle
elles en encore entre est et etre faire fait femme fille fils homme il ils jamais je jour la le les leur lui mais meme
mes moi mon ne nos notre nous on ont ou par pas petit peu plus pour pourquoi quand que qui rien sa sans ses si son sous
sur ta te tes toi ton tous tout tres trop tu un une vers vie vous blanc blanche bonne brun chevalier claire clement
colombe desire dominique fleur fleury france jolie joie leroy marin marine martin modeste noir olive parfait petit
pierre prudent renard rose roux rousseau rouge saint serein soleil valentin vert victoire vidal
a ahora al algo alla alli ano antes aqui asi aunque bien cada casa como con cosa cual cuando de del desde dia donde dos
el ella ellos en entre era es esa ese eso esta este esto fue gran ha hacer hasta hay hombre hoy la las le les lo los
mas me mejor mi mientras mismo mucho mujer muy nada ni no nos nunca o otra otro para pero poco por porque pues que
quien se ser si sin sobre solo son su sus tambien tan tanto te tiempo todo tu un una uno vez vida y ya yo alba amado
angel angeles aurora bella blanca bueno candela caridad concepcion consuelo cruz delgado dolores esperanza estrella fe
flores franco gracia guerra leal leon luna luz mar mercedes milagros moreno paloma paz perla piedad pilar reina reyes
rey rico rocio roja rojo rosa rubio sol soledad victoria
anche ancora che chi ci come con cosa cosi da dal dalla dei del della di dopo dove due e ed era fare gia gli ha ho il
io la le lei lo loro lui ma mai me mi mio molto ne nel nella noi non o ogni per perche piu poi prima quando quanto
quella quello questa questo sei senza si sia sono su sua subito sul suo te ti tra tu tutti tutto un una uno va vi voi
amore bianca bianco chiara dolce fiore gioia grazia letizia leone mora pace rossi rosso serena stella verde vita
agora ainda ao aos apenas aquela aquele as ate bem cada com como da das de depois do dos e ela ele em entre essa esse
esta este eu foi isso ja la lhe mais mas me mesmo meu muito na nao nas no nos nossa nosso num o onde os ou para pela
pelo por porque pouco qual quando que quem se sem ser seu sim so sua tambem te tem todo tudo um uma vai vez voce branco
campos cordeiro flor lua luzia mar neves pereira pinheiro ramos ribeiro rocha rosa silva sousa vale vitoria
al alle als andere bij daar dag dan dat de der deze die dit door een en er geen goed haar had heb heeft hem het hier
hij hoe iets ik in is ja je kan man meer met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over
te tegen tot uit van veel voor want was wat we weer wel werd wij wie zal ze zeer zich zij zijn zo zonder zou bakker
boer bos brouwer dekker dijk groen groot haan hart jong koning kuiper meer molen smit visser wit zee
""")

EVERYDAY_WORDS: Final = _NAMES_THAT_ARE_WORDS | _ENGLISH | _CODE | _ELSEWHERE
"""Folded spellings of words that stand in ordinary text."""
