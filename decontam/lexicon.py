"""The lexicon lists the words by which a company's name is told from other words; the report shows it."""

from __future__ import annotations

LEGAL_SUFFIXES = frozenset(
    "ab ag aps as asa bv co company corp corporation gmbh inc incorporated kft kg kk limited llc llp lp ltd mbh "
    "nv ohg oy oyj plc pte pty sa sarl sas sl spa srl sro ug".split()
)
"""Dropped from the end of a name before it is compared."""
GLUED_SUFFIXES = ("incorporated corporation limited gmbh corp inc llc ltd plc").split()
"""Legal suffixes also dropped from the end of a domain's label, longest first."""
DESIGNATORS = (
    "Associates Capital Consulting Enterprises Foundation Group Holdings Industries Labs Laboratories Logistics "
    "Manufacturing Partners Solutions Systems Technologies Ventures"
).split()
"""Last words of organisations' names in prose; they belong to the name."""
LEGAL_IN_PROSE = ("Inc Incorporated Corp Corporation Ltd Limited LLC LLP PLC GmbH AG SARL BV NV Pty SpA Oy").split()
"""Legal suffixes that show in prose that the capitalised words before them are a company's name."""
GENERIC_NAMES = frozenset(
    "account accounts admin agency all billing board business client clients company consulting contact "
    "contractor corporate customer customers default demo department development engineering enterprise example "
    "external facilities finance general home hr human internal it lead leads legal logistics management manager "
    "manufacturing marketing misc na new none null operations ops order orders other our partner partners payroll "
    "people person personal platform private procurement product products project projects prospect purchasing "
    "research sales sample security self service services solutions staff standard startup supplier suppliers "
    "support systems tbd team technologies test unassigned unknown various vendor vendors work".split()
)
"""Words that name no company, alone or in a row: a department is not a competitor."""
OPENERS = frozenset(
    "A About Add After Also An And As At Before Both But By Call Cc Client Contact Create Customer Dear Did Email "
    "Find For From Has Have Hello Hey Hi If In Invoice Is Its Last Message New No Not Note Of On Only Or Our Per "
    "Please Re Regarding Remove Reply Send Since Tell That The Their This To Under Update Use Vendor Via Was We "
    "When With Your".split()
)
"""Capitalised words that begin a sentence and not the name after them."""
COMPANY_FIELDS = frozenset(
    "accountname businessname client clientcompany clientname company companyname customercompany employer "
    "legalname merchant merchantname organisation organisationname organization organizationname orgname supplier "
    "suppliername vendor vendorname".split()
)
"""Fields and column headings, letters only, that hold a company's name."""
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
TRADE_PARTNERS = frozenset("contact contacts customer customers".split())
"""Collections whose rows are companies in the applications of BOOKS, and mostly people elsewhere."""
