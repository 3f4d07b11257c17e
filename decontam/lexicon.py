"""The lexicon lists the words by which a company's name is told from other words; the report shows it."""

from __future__ import annotations

LEGAL_SUFFIXES = frozenset(
    (
        "ab, ag, aps, as, asa, a s, bhd, bv, bvba, co, company, corp, corporation, co ltd, cv, doo, d o o, dba, ead, "
        "ehf, eirl, ep, epe, eurl, ev, gbr, ges mbh, gesmbh, ggmbh, gmbh, g m b h, hf, inc, incorporated, jsc, kft, "
        "kg, kgaa, kk, lda, limitada, limited, limited liability company, limited liability partnership, limitee, "
        "llc, llp, lllp, lp, ltd, ltda, ltee, mbh, nv, nyrt, oao, od, ood, ohg, ooo, ou, oy, oyj, pao, pbc, pc, pjsc, "
        "plc, pllc, private limited, proprietary limited, pt, pte, pty, public limited company, pvt, qpsc, rt, sa, sa "
        "de cv, sab de cv, sae, sapi de cv, sarl, sas, sasu, saog, sc, sca, scs, scrl, sdn bhd, se, sia, sl, slu, "
        "snc, soc, societe anonyme, s a, s l, s p a, s r l, spa, spol sro, sp zoo, sp z oo, spzoo, srl, srls, sro, s "
        "r o, tbk, tov, uab, ug, ug haftungsbeschrankt, ulc, vof, wll, yk, zao, zrt"
    ).split(", ")
)
"""Dropped from the end of a name before it is compared, in many countries' usage; points don't count: L.L.C. is llc."""
LEGAL_PREFIXES = frozenset("ao jsc oao ooo pao pt sia tov uab zao".split())
"""Legal forms that stand before the name."""
GLUED_SUFFIXES = "incorporated corporation company limited gmbh corp inc llc ltd plc".split()
"""Legal suffixes also dropped from the end of a domain's label, longest first."""
GLUED_AFFIXES = (("get", ""), ("join", ""), ("the", ""), ("try", ""), ("use", ""), ("", "hq"), ("", "co"))
"""What is glued before and after a name in a domain's label when the name alone is taken."""
DESIGNATORS = (
    "Advisors Airlines Airways Associates Biotech Brewing Builders Capital Consulting Dynamics Electronics Enterprises "
    "Foundation Group Holdings Industries Innovations Institute Labs Laboratories Logistics Manufacturing Motors "
    "Outfitters Partners Pharma Pharmaceuticals Robotics Solutions Studios Systems Technologies University Ventures "
    "Works"
).split()
"""Last words of organisations' names in prose; they belong to the name."""
LEGAL_IN_PROSE = (
    "Inc Incorporated Corp Corporation Company Ltd Limited LLC LLP PLC Plc GmbH AG KG SARL SAS BV NV Pty Pte Pvt SpA "
    "Srl Oy Oyj ApS AB Ltda"
).split()
"""Legal suffixes that show in prose that the capitalised words before them are a company's name."""
PLAIN_WORDS = frozenset(
    "advanced age annual applied budget channel cloud content core corporate creative cross data digital diversity "
    "east equity executive expert field financial first flexible focus global goodwill green growth head health human "
    "industry information innovation integrated interest investment joint junior key lean legacy local main mechanical "
    "medical modern national network next north office online open other parent peer pilot power premium preferred "
    "proposed public quality regional remote risk security senior shared small smart social software solar south "
    "special strategic student sub target tech technical technology top trade training user venture web west working "
    "worldwide youth".split()
)
"""Words that make no company of a designator, alone or with generic ones: a Working Group, Strategic Partners."""
GENERIC_NAMES = frozenset(
    "account accounting accounts action actions active address admin administration agency all amount analytics and "
    "approved april archive august available best billing board branch business cancelled cash category ceo cfo check "
    "city client clients closed comment comments company competitor completed compliance confirmed consultant "
    "consulting contact contract contractor coo corporate cost country cto currency customer customers daily date "
    "deal deals december default demo department description design details dev development division done draft due "
    "east email employee employees engineering enterprise example external facilities false february finance "
    "freelance freelancer friday general group hardware headquarters high holdings home hours hq hr human id inactive "
    "individual industries info internal inventory invoice it january july june lead leads legal logistics low "
    "maintenance management manager manufacturing march marketing may medium member members message messages misc "
    "monday monthly na name new no none north note notes november null number october of office onboarding open "
    "operations ops order orders organisation organization other our overdue owner paid partner partners payment "
    "payroll pending people person personal phone planning platform policy priority private procurement product "
    "production products project projects prospect purchasing qa quality quantity queue quote quotes rate recruiting "
    "recruitment regards region renewal reply report reporting reports research reseller retail retired review sales "
    "sample saturday scheduled security self sent september service services shipping software solutions south staff "
    "standard startup status strategy student subject success summary sunday supplier suppliers supply support "
    "systems task tasks tbc tbd team teams technologies technology test thanks the thursday ticket tickets title "
    "today tomorrow total training travel treasury true tuesday type unassigned university unknown unpaid unspecified "
    "update updates urgent user users value various vendor vendors warehouse wednesday week weekly west wholesale "
    "work works year yes".split()
)
"""Words that name no company, alone or in a row: a department is not a competitor."""
STREETS = frozenset("ave avenue blvd boulevard court drive lane place rd road room square st street suite way".split())
"""Words that make an address or a room of the word before them."""
OPENERS = frozenset(
    "A About Account Add After Also An And Any Are As Ask Assign At Attention Attn Because Before Bill Book Both But "
    "By Call Can Cc Check Client Close Company Confirm Contact Could Create Customer Deal Dear Demo Did Do Does "
    "During Each Email Ensure Every FW FYI Find For Forward From Fw Fwd Get Has Have He Hello Hey Hi Hold How I If In "
    "Inform Introducing Invoice Is It Its Last Leave Let Log Mail Make Mark Meet Meeting Message Move Name New No Not "
    "Note Notify Of On Once Only Open Or Order Our Over Paid Pay Payment Per Please Put Quote RE Re Received "
    "Regarding Remove Renewal Reply Review Ring Schedule See Send Sent Set She Should Since So Some Subject Supplier "
    "Tell Thank Thanks That The Their Then These They This Those To Today Tomorrow Track Under Until Update Use "
    "Vendor Via Visit Was We Welcome Were What When Where While Who Why Will With Would Yes Yesterday You Your Monday "
    "Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September "
    "October November December Q1 Q2 Q3 Q4".split()
)
"""Capitalised words that begin a sentence or a title and not the name after them."""
CUES = frozenset("at by client company customer for from of supplier to vendor via with".split())
"""Words after which a word in CamelCase is a company."""
CAMEL_PLAIN = frozenset(
    "account address amount app book by chart check code contact count data date day due email end field file first "
    "follow form full hub id in is key kit last lead line list log map month name note number off on order out owner "
    "page phone point price rate record ref request role row script set sheet source space stage start state status "
    "tag task text time title total tube type up url user value view week wiki year zip".split()
)
"""Parts by which a word in CamelCase is told to be a field, a file or a product."""
COMPANY_FIELDS = frozenset(
    "accountname businessname client clientcompany clientname company companyname customercompany employer "
    "legalname merchant merchantname organisation organisationname organization organizationname orgname supplier "
    "suppliername vendor vendorname".split()
)
"""Fields and column headings, letters only, that hold a company's name."""
MIXED_FIELDS = frozenset("billedto billto buyer customer customername partner payee payer seller".split())
"""Fields and column headings that hold a company's name or a person's."""
COMPANY_COLLECTIONS = frozenset(
    "account accounts business businesses client clients companies company organisation organisations "
    "organization organizations supplier suppliers vendor vendors".split()
)
"""Collections whose rows are companies, so that their NAME_FIELDS hold company names."""
NAME_FIELDS = frozenset("companyname displayname fullyqualifiedname name title".split())
WRAPPERS = frozenset("attributes fields properties values".split())
"""Fields between a row and its own fields."""
DOMAIN_FIELDS = frozenset("companydomain domain domains homepage url web website weburl".split())
"""Fields that hold a web domain or address."""
LEDGERS = frozenset("docusign google_ads instagram linkedin quickbooks stripe twilio wave xero".split())
"""Applications whose accounts are ledger or user accounts, not companies."""
BOOKS = frozenset("quickbooks wave xero".split())
TRADE_PARTNERS = frozenset("contact contacts customer customerref customers vendorref".split())
"""Collections whose rows are companies in the applications of BOOKS, and mostly people elsewhere."""
