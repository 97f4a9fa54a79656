"""Makes of vehicles and a few other goods that people call by their make: *a Mercedes* is a car."""

from __future__ import annotations

_MAKES = {
    "car": (
        "mercedes;mercedes-benz;bmw;audi;volkswagen;vw;toyota;honda;ford;renault;peugeot;citroën;citroen;fiat;opel;"
        "vauxhall;"
        "nissan;mazda;hyundai;kia;skoda;škoda;seat;volvo;saab;porsche;ferrari;lamborghini;maserati;bentley;"
        "rolls-royce;jaguar;"
        "land rover;range rover;lada;dacia;chevrolet;chevy;cadillac;buick;chrysler;dodge;jeep;subaru;mitsubishi;"
        "suzuki;lexus;"
        "tesla;mini cooper;alfa romeo;lancia;trabant;zhiguli;volga;acura;infiniti;pontiac;oldsmobile;lincoln;aston "
        "martin;"
        "lotus;rover;daewoo;tata;tofaş;wartburg;yugo;zastava;moskvich;hummer;daihatsu;gmc"
    ),
    "motorcycle": "harley-davidson;harley;ducati;yamaha;kawasaki;triumph motorcycle;vespa;piaggio;ktm",
}
_MODELS = frozenset(
    "golf polo passat corolla camry prius civic accord focus fiesta mondeo escort transit mustang clio megane "
    "mégane corsa "
    "astra vectra punto uno tipo panda altima sentra micra qashqai cr-v rav4 highlander cherokee wrangler explorer "
    "f-150 "
    "silverado impala malibu camaro corvette beetle jetta tiguan octavia fabia superb leon ibiza a3 a4 a6 q5 x5 "
    "model s 3 y "
    "x outback forester impreza lancer pajero swift elantra sonata tucson sportage rio logan duster discovery defender "
    "freelander freelander 911 cayenne boxster e-class c-class s-class a-class sprinter vito kangoo berlingo saloon "
    "estate "
    "hatchback convertible coupe coupé sedan jeep pickup odyssey pilot tacoma tundra sienna escape edge taurus "
    "bronco niva".split()
)


_KINDS = {make: kind for kind, makes in _MAKES.items() for make in makes.split(";")}


def make_of(phrase: str, is_determined: bool) -> str | None:
    """The kind of thing that a make, alone after an article or with its model, names; None for all else.

    "Toyota" alone is rather the company.
    """
    words = phrase.split()
    said = len(words)
    while len(words) > 1 and words[0].islower():
        words = words[1:]
    is_described = is_determined or len(words) < said
    folded = [word.casefold() for word in words]
    for size in (2, 1):
        kind = _KINDS.get(" ".join(folded[:size]))
        if kind is None:
            continue
        rest = folded[size:]
        if all(word in _MODELS or word.isdigit() for word in rest) and (rest or is_described):
            return kind
    return None
