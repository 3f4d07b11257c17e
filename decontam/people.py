"""A person's name is a given name before another name; a company called Brandt is not named by it."""

from __future__ import annotations

from decontam.words import words_of

GIVEN_NAMES = frozenset(
    "aaron abby abdul abena abigail adam adele adrian agnes ahmed aidan aisha akira alan alba albert alejandro alex "
    "alexander alexandra alexis alfred ali alice alicia alina alison alma amanda amara amber amelia amina amir amit "
    "amy ana anastasia anders andre andrea andrew andy angela anita anna anne annie anthony antonia antonio anya aria "
    "arjun arthur asha ashley astrid audrey austin ava ayesha barbara basil bastian beatrice beatriz ben benjamin "
    "bernard beth bianca bill bob bobby boris brad bram brandon brenda brian bruce bruno bryan caleb callum camila "
    "candice carl carla carlos carmen carol caroline carolyn carrie catherine cecil cecilia celeste chad charles "
    "charlie charlotte chen chiara chidi chloe chris christian christina christine christopher cindy claire clara "
    "claudia colette colin connor craig crystal cynthia daisy dan dana daniel daniela daria dario darren dave david "
    "dawn dean deborah denise dennis derek devon diana diane diego dimitri dmitri dmitry dominic don donald donna "
    "dora doris dorothy doug douglas duncan dylan eamon ed eddie edith edward edwin eileen elaine eleanor elena elias "
    "elif elijah elisa elisabeth elizabeth ella ellen elliot emeka emil emilia emily emma enrique enzo eric erica "
    "erik erika erin ernest esther ethan eugene eva evan eve evelyn fabio faith farah fatima fatou felicity felix "
    "fernando finn fiona florence frances francesca francis francisco frank fred freya gabriel gabriela gail gareth "
    "gary gavin george georgia georgina gerald gerard gilbert gina giorgio giovanni giulia glenn gloria grace graham "
    "greg gregor gregory greta guillermo gustav gwen hamid hana hanna hannah hanne hans harold harriet harry hassan "
    "hazel heather hector heidi helen helena henrik henry herbert hilde hiroshi holly hugo ian ibrahim ida idris igor "
    "ilse imran ines ingrid irene irina iris isaac isabel isabella isla ismail ivan jack jackie jackson jacob "
    "jacqueline jake jamal james jamie jan jane janet janice jasmine jason jasper javier jean jeff jeffrey jelena jen "
    "jenna jennifer jenny jeremy jerome jerry jesse jessica jill jim jimmy jin joan joanna joe joel johan john johnny "
    "jolanta jon jonas jonathan jordan jorge jose joseph josephine josh joshua joy joyce juan juanita judith judy "
    "julia julian julie julius june justin kai karen karim karin karl kasper katarina kate katherine kathleen kathryn "
    "kathy katie kayla keiko keith kelly ken kenji kenneth kevin kieran kim kimberly kiran kofi kristen kristin kurt "
    "kyle lara larry laura lauren laurie lea leah lee leila lena lennart leo leon leonard leslie lewis liam lila "
    "lillian lily linda lindsay linnea lisa liz logan lois lori lorraine louis louise luca lucas lucia lucien lucy "
    "ludmila luis luke luna lydia lynn maeve magda malik marc marcel marco marcus marek margaret margot maria marian "
    "mariana marie marilyn marina mario marion marissa mark marko marlene marta martha martin mary mateo matt matthew "
    "maureen max maxine maya megan mehmet mei melanie melinda melissa mia michael michelle miguel mike mila milan "
    "milos mira miriam mirko mohamed mohammed molly mona monica morgan nadia nadine nancy naomi natalia natalie "
    "natasha nathan naveen neil nia nicholas nick nicola nicole nigel nikita nikolai nils nina nisha noah noor nora "
    "norma nuria odile ola olaf olga oliver olivia olivier omar oren oscar otis owen pablo paloma pam pamela paolo "
    "pascal patricia patricio patrick paul paula pavel pedro peggy penny pete peter petra phil philip philippa "
    "phyllis pia pierre priya quentin rachel rafael rafaela rahul raj rajesh ralph ramesh ramon rania raul ravi ray "
    "raymond rebecca regina renee reza rhonda ricardo richard rick rita rob robert roberta roberto robin rodney roger "
    "rohan roland ron ronald rosa rosalind rose rowan roy ruben rupert russell ruth ryan sabrina sally salma sam "
    "samantha samir samuel sandra sanjay sanna santiago saoirse sara sarah scott sean sebastian selma serena sergei "
    "sergio seth shane shannon sharon shawn sheila shirley shreya signe sigrid silvia simon sofia sonia sophia sophie "
    "soren stacy stan stefan stefania stella stephanie stephen steve steven stuart sue suki sunil suresh susan "
    "suzanne sven svetlana sylvia talia tamara tanvi tanya tara tariq tatiana ted teresa terry teun thandi theo "
    "theresa thiago thomas tiffany tilda tim timothy tina tobias tobin todd tom tomas tommy tony tracy travis trevor "
    "troy tyler ulla uma ursula valentina valerie vanessa vera veronica vicki vicky victor victoria vijay vikram "
    "viktor vincent virginia vivian walter wanda wayne wei wendy wesley will willem william willie wolfgang xavier "
    "xenia xin yan yara yasmin ying yolanda yosef yuki yuna yusuf yvonne zach zachary zainab zara zeynep zoe zofia "
    "zora".split()
)
PERSON_FIELDS = frozenset(
    "assignee assigneename authorname employee employeename familyname firstname fullname givenname lastname manager "
    "middlename ownername realname surname".split()
)
"""Fields, letters only, that hold a person's name or half of one."""
PERSON_COLLECTIONS = frozenset(
    "agent agents assignee attendee attendees author candidate candidates contact contacts employee employees invitee "
    "invitees lead leads member members organizer owner people person persons registrants recipient recipients "
    "requester sender staff user users".split()
)
"""Collections whose rows are people, and fields that hold one."""


def is_person(name: str) -> bool:
    """Whether two or three words begin with a given name, as a person's name does."""
    words = words_of(name)
    return 2 <= len(words) <= 3 and words[0] in GIVEN_NAMES and all(word.isalpha() for word in words)
