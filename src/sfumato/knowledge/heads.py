"""Words that tell what a capitalised phrase names, in the seven languages: head nouns of organisations and places,
legal forms of companies, what people are to each other, and words that are names as well.

Written for this project.
"""

from __future__ import annotations

ORGANISATIONS = frozenset(
    "government kingdom republic service centre center health healthcare hosp university college school academy "
    "institute institution faculty hospital clinic infirmary hospice sanatorium court tribunal ministry department "
    "agency authority bureau commission committee council board office directorate secretariat parliament assembly "
    "senate congress embassy consulate police prison jail army navy bank fund trust foundation association society "
    "union federation confederation league club company corporation group holdings partners enterprises industries "
    "systems technologies solutions services laboratories pharmaceuticals insurance airlines airways railways "
    "church cathedral mosque synagogue temple monastery museum library theatre theater orchestra newspaper times "
    "herald gazette tribune magazine press publishing records studios radio television network party movement front "
    "brigade regiment battalion division corps squadron constabulary registry inspectorate ombudsman prosecutor "
    "chamber exchange cooperative hotel restaurant universidad colegio instituto facultad clínica juzgado audiencia "
    "ministerio consejería ayuntamiento diputación comisión comité consejo banco fundación asociación sociedad "
    "sindicato federación iglesia museo biblioteca teatro policía guardia cárcel partido universität hochschule "
    "schule gymnasium klinik klinikum krankenhaus gericht amtsgericht landgericht oberlandesgericht "
    "bundesgerichtshof ministerium bundesministerium behörde amt kommission ausschuss rat sparkasse stiftung verein "
    "verband gesellschaft gewerkschaft kirche museum bibliothek polizei partei bundesamt finanzamt université école "
    "lycée collège hôpital clinique cour tribunal ministère commission comité conseil banque fondation association "
    "société syndicat fédération église musée bibliothèque théâtre préfecture mairie gendarmerie parti università "
    "scuola liceo istituto ospedale clinica tribunale corte ministero commissione comitato consiglio banca "
    "fondazione associazione società sindacato federazione chiesa museo questura prefettura comune universidade "
    "escola faculdade hospital clínica ministério comissão conselho fundação associação sociedade igreja câmara "
    "prefeitura universiteit hogeschool ziekenhuis kliniek rechtbank gerechtshof ministerie commissie raad "
    "stichting vereniging vakbond kerk politie gemeente".split()
)
GENERIC = frozenset(
    "the this that a an of supreme high district regional national federal constitutional public general state city "
    "county municipal central international european criminal civil administrative military domestic local first "
    "second third grand appeal appeals human rights government republic court chamber".split()
)
"""Words that say nothing about which organisation it is."""
PLACES = frozenset(
    "street road avenue lane drive boulevard square bridge airport station river lake mountain mount mountains "
    "valley island islands bay beach coast park forest castle palace tower hill hills creek falls canyon desert "
    "peninsula district county province region borough village town city harbour harbor port square cemetery "
    "stadium arena calle avenida plaza paseo puente aeropuerto estación río lago monte valle isla playa parque "
    "bosque castillo straße platz brücke flughafen bahnhof fluss see berg insel strand wald schloss burg rue "
    "boulevard place pont aéroport gare fleuve lac mont vallée île plage forêt château via piazza ponte aeroporto "
    "stazione fiume isola spiaggia parco foresta castello rua praça rio ilha praia floresta castelo straat plein "
    "brug luchthaven".split()
)
NOT_IN_NAMES = (
    ORGANISATIONS
    | PLACES
    | frozenset(
        "act article articles section law code convention protocol treaty agreement chapter part paragraph rule "
        "regulation directive annex appendix january february march april may june july august september october "
        "november december monday tuesday wednesday thursday friday saturday sunday ltd inc llc plc gmbh ag sa corp "
        "co administrative appellate assize civil commercial constitutional criminal district federal judicial "
        "magistrates military municipal provincial regional supreme".split()
    )
)
ROLES = frozenset(
    "colleague neighbour neighbor friend boss nurse teacher patient client witness lawyer coworker arzt ärztin "
    "hausarzt hausärztin kollege kollegin kollegen nachbar nachbarin nachbarn freund freundin chef chefin lehrer "
    "lehrerin patient patientin kunde kundin anwalt anwältin zeuge zeugin pfleger schwester vermieter vermieterin "
    "collègue voisin voisine ami amie patron infirmier infirmière avocat avocate vecino vecina amigo amiga "
    "compañero compañera jefe jefa médico enfermera abogada collega vicino vicina amico amica medico infermiera "
    "colega vizinho vizinha médica enfermeiro enfermeira buurman buurvrouw huisarts vriend vriendin".split()
)
"""What someone is to the writer, before a surname: "Kollege Schmidt"."""
BRANDS = frozenset(
    "ford mercedes dodge bentley lincoln porsche honda toyota lexus skoda fiat seat ferrari tesla opel dacia kia "
    "mercury siemens alexa siri cortana sony benz royce maserati lancia".split()
)
"""Makes of things that are given or family names too."""
WORDS_AS_NAMES = frozenset(
    "art april august bill dan dawn dean dick don earl faith grace grant guy holly hope hunter ivy joy june lily mark "
    "mason may mia olive parker ray robin roman rosa rose sage summer violet will young luz paz mercy patience carter "
    "chase cristiano massimo máximo domingo julio blanca luna sol stella jan juli josefa bella carry harmony".split()
)
"""Everyday words that before a family name are given names."""
ASK_OR_DATE = frozenset("will may april june august art grant mark hope rose dawn".split())
"""Those of them that open sentences as what they are otherwise."""
LEGAL_FORMS = tuple(
    "Ltd;Limited;LLC;L.L.C.;LLP;L.L.P.;PLC;plc;Inc;Incorporated;Corp;Corporation;Co;Company;GmbH;mbH;AG;KG;OHG;GbR;e.V.;"
    "eG;UG;SE;S.A.;SA;S.A.U.;S.L.;SL;S.L.U.;SLU;S.C.;S.R.L.;SRL;S.r.l.;Srl;S.p.A.;SpA;S.n.c.;S.a.s.;SARL;S.A.R.L.;SAS;"
    "SASU;EURL;SCI;SNC;Lda;Ltda;B.V.;BV;N.V.;NV;VOF;C.V.;CVBA;A.S.;A/S;AS;ApS;AB;Oy;Oyj;ASA;Kft;Zrt;s.r.o.;a.s.;d.o.o.;"
    "d.d.;Sp. z o.o.;OOO;ZAO;OAO;A.Ş.;Ltd. Şti.;Pty Ltd;Pty. Ltd.;Pvt Ltd;Pvt. Ltd.;Holdings;Group;GmbH & Co. KG;& Co;"
    "& Sons;& Associates;and Sons".split(";")
)
