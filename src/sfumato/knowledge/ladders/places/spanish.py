"""The ladder of places in Spanish: the same steps, said otherwise."""

from __future__ import annotations

from functools import cache

from sfumato.knowledge.geography import world
from sfumato.knowledge.geography.world import Area

_NOUNS = {
    "large city": "gran ciudad",
    "city": "ciudad",
    "capital city": "ciudad capital",
    "town or city": "localidad",
    "town": "localidad",
    "small town": "localidad pequeña",
    "village or small town": "localidad pequeña",
    "town or village": "localidad",
    "settlement": "localidad",
    "city or urban district": "zona urbana",
    "town or urban district": "zona urbana",
    "town or city district": "zona urbana",
    "urban district": "barrio o distrito",
    "urban area": "zona urbana",
    "country": "país",
    "territory": "territorio",
    "region": "región",
    "province": "provincia",
    "state": "estado",
    "department": "departamento",
    "county": "condado",
    "canton": "cantón",
    "island": "isla",
    "municipality": "municipio",
    "continent": "continente",
    "sea": "mar",
    "ocean": "océano",
    "river": "río",
    "lake": "lago",
    "mountain": "montaña",
    "mountain range": "cordillera",
    "place": "lugar",
    "street": "calle",
    "avenue": "avenida",
    "road": "carretera o camino",
    "square": "plaza",
    "public road": "vía pública",
    "public space": "espacio público",
    "address": "dirección postal",
    "airport": "aeropuerto",
    "transport facility": "instalación de transporte",
    "railway station": "estación de tren",
    "hospital": "hospital",
    "medical facility": "centro sanitario",
    "prison": "prisión",
    "place of detention": "centro de detención",
    "school": "centro escolar",
    "university": "universidad",
    "educational establishment": "centro educativo",
    "church": "iglesia",
    "religious building": "edificio religioso",
    "park": "parque",
    "green space": "zona verde",
}
_SIDES = {
    "northern": "norte",
    "southern": "sur",
    "eastern": "este",
    "western": "oeste",
    "central": "centro",
    "north-eastern": "noreste",
    "north-western": "noroeste",
    "south-eastern": "sureste",
    "south-western": "suroeste",
}
_WITH_ARTICLE = frozenset({"Reino Unido", "Caribe", "Sudeste Asiático"})
_BRITISH = {"England": "Inglaterra", "Scotland": "Escocia", "Wales": "Gales", "Northern Ireland": "Irlanda del Norte"}


@cache
def _areas() -> dict[str, str]:
    names = {world.sentence_name(part): spanish for part, (_, _, spanish) in world.PARTS.items()}
    names |= {continent: spanish for continent, (_, spanish) in world.CONTINENTS.items()} | _BRITISH
    return names | {land.name: land.spanish for land in world.lands().values() if land.spanish}


def say(noun: str, area: Area | None, part: str) -> str | None:
    """ "gran ciudad del norte de Polonia"; None where a word for it is missing."""
    kind = _NOUNS.get(noun)
    if kind is None or area is None:
        return kind
    name = _areas().get(area.name)
    if name is None:
        return None
    of = f"del {name}" if name in _WITH_ARTICLE else f"de {name}"
    return f"{kind} del {_SIDES[part]} {of}" if part else f"{kind} {of}"
