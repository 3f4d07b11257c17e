"""Scenery is what small talk mentions besides people and companies: rooms, streets, towns, things, days and hours."""

from __future__ import annotations

from datetime import date, timedelta

_NAMED = (
    "Heron Falcon Willow Juniper Cedar Maple Poplar Lilac Fern Clover Thistle Saffron Amber Coral Topaz Quartz "
    "Granite Marble Copper Cobalt Indigo Crimson Plover Curlew Osprey Robin Linnet Badger Otter Beaver Hazel Rowan "
    "Sorrel Tulip Dahlia Orchid Jasmine Laurel Myrtle Aspen"
).split()
ROOMS = (
    *(f"the {name} room" for name in _NAMED),
    *(f"the {size} {name} room" for name in _NAMED for size in ("small", "large", "upper", "lower")),
    *(f"room {wing}{number}" for wing in "DEFGHK" for number in range(11, 60)),
)
_STREETS = (
    "Mill Lane;Tannery Street;Foundry Road;Chapel Row;Orchard Way;Station Parade;Harbour Street;Weaver Lane;"
    "Canal Side;Linden Avenue;Quarry Hill;Market Row;Bakers Yard;Ropewalk;Castle Steps;Garden Terrace;Priory Road;"
    "Dockside;Meadow Close;Beacon Hill;Lantern Court;Cooper Street;Saddlers Row;Granary Road;Windmill Path;"
    "Church Walk;Bridge Street;Ferry Road;Spinney Lane;Pottery Lane;Glebe Road;Sawmill Road;Violet Street;"
    "Hatters Lane;Bellows Yard;Ash Grove;Swan Street;Drovers Way;Kiln Road;Observatory Road"
).split(";")
STREETS = tuple(f"{number} {street}" for street in _STREETS for number in range(2, 140))
_TOWNS = (
    "Ansley Bexcombe Corlingham Dunsby Elverton Farnish Gadley Hexworth Inglesby Kelderton Lowick Maddersby Nunwick "
    "Orrell Penscombe Quorley Rudham Saxley Thurlby Ulverley Wansford Yaxby Brindle Coldham Denscombe Ebberley "
    "Fosbury Gransby Hollesby Tilford"
).split()
TOWNS = tuple(
    f"{which} {town}".strip()
    for town in _TOWNS
    for which in ("", "Upper", "Lower", "Great", "Little", "North", "South", "East", "West", "Port")
)
_LOOKS = (
    "grey green blue black white silver red brown yellow purple turquoise pink beige striped plain small large heavy "
    "narrow wide round square spare borrowed repaired dusty new battered shiny dented painted handmade"
).split()
_OBJECTS = (
    "desk lamp;whiteboard;trolley;kettle;filing cabinet;office chair;projector;bookshelf;plant pot;wall clock;"
    "coat rack;notice board;footrest;paper cutter;toolbox;ladder;toaster;fridge;coffee machine;vacuum cleaner;"
    "fan heater;monitor stand;keyboard tray;tripod;camera case;banner;display stand;tablecloth;bench;parasol;dinghy;"
    "bicycle;suitcase;rucksack;umbrella;scarf;thermos flask;lunch box;teapot;fruit bowl;cake tin;guitar;drum kit;"
    "chess set;tennis racket;rowing machine;poster frame;door mat;letter tray;stapler;label printer;card reader;"
    "headset;speaker;loudspeaker;extension lead;battery pack;torch;fire blanket;first aid box;safety helmet;raincoat;"
    "mirror;curtain;carpet tile;window blind;radiator cover;water cooler;recycling bin;bread board"
).split(";")
THINGS = tuple(f"{look} {thing}" for thing in _OBJECTS for look in _LOOKS)
PROJECTS = tuple(f"{name} {number}" for name in _NAMED for number in range(2, 12))
_SPANS = (
    "spring summer autumn winter regional internal joint annual illustrated short revised bilingual first second third "
    "local combined extended"
).split()
_WORKS = (
    "survey;workshop plan;pilot study;forecast;training plan;site map;process map;style guide;glossary;floor plan;"
    "picture book;sound study;noise study;light study;reading list;photo archive;town guide;tour plan;exhibition;"
    "film script;colour chart;field study;time line;yearbook"
).split(";")
WORKS = tuple(f"{span} {work}" for work in _WORKS for span in _SPANS)
DAYS = tuple(f"{day.day} {day:%B}" for day in (date(2026, 1, 1) + timedelta(days=count) for count in range(365)))
"""The days of a common year, from 1 January."""
HOURS = tuple(f"{hour}:{minute:02d}" for hour in range(7, 19) for minute in range(0, 60, 5))
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
"""Working days."""
CODE_LETTERS = "ADEFGHJKLMNPQRSTUVWXYZ"
"""Letters around the digits of a code; a code ends in a letter, which no number of a task does."""
