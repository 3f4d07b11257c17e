"""A person's name is a given name before another name; a company called Brandt is not named by it."""

from __future__ import annotations

from decontam.words import words_of

GIVEN_NAMES = frozenset(
    "aaron abby abdul abena abigail adam adele adrian agnes ahmed aidan aisha akira alan alba albert alejandro alex "
    "alexander alexandra alexis alfred ali alice alicia alina alison amanda amara amber amelia amina amir amit amy "
    "ana anders andre andrea andrew andy angela anita anna anne annie anthony antonio anya aria arjun arthur asha "
    "ashley astrid audrey austin ava barbara bastian beatrice beatriz ben benjamin bernard beth bianca bill bob bobby "
    "brad bram brandon brenda brian bruce bruno bryan caleb callum camila carl carla carlos carmen carol caroline "
    "carolyn carrie catherine cecilia celeste chad charles charlie charlotte chen chidi chloe chris christian "
    "christina christine christopher cindy claire clara claudia colette colin connor craig crystal cynthia daisy dan "
    "dana daniel daniela daria dario darren dave david dawn dean deborah denise dennis derek devon diana diane diego "
    "dmitri dmitry dominic don donald donna dora doris dorothy doug douglas duncan dylan eamon ed eddie edward edwin "
    "eileen elaine eleanor elena elif elijah elisa elizabeth ella ellen elliot emeka emil emily emma enrique eric "
    "erica erik erin esther ethan eugene eva evan eve evelyn fabio farah fatima felix fernando fiona florence frances "
    "francesca francis francisco frank fred freya gabriel gabriela gail gareth gary gavin george georgia gerald gina "
    "giulia glenn gloria grace graham greg gregor gregory greta gustav gwen hamid hana hanna hannah hanne hans harold "
    "harriet harry hassan hazel heather heidi helen helena henrik henry hilde holly hugo ian ibrahim ida idris ilse "
    "ines ingrid irene iris isaac isabel isabella isla ismail ivan jack jackie jackson jacob jacqueline jake james "
    "jamie jan jane janet janice jasmine jason javier jean jeff jeffrey jen jenna jennifer jenny jeremy jerome jerry "
    "jesse jessica jill jim jimmy joan joanna joe joel johan john johnny jolanta jon jonas jonathan jordan jorge jose "
    "joseph josh joshua joy joyce juan juanita judith judy julia julian julie june justin karen karim karl kasper "
    "kate katherine kathleen kathryn kathy katie kayla keiko keith kelly ken kenji kenneth kevin kim kimberly kofi "
    "kristen kristin kurt kyle lara larry laura lauren laurie lea leah lee leila lena lennart leo leon leonard leslie "
    "lewis liam lila lillian lily linda lindsay linnea lisa liz logan lois lori lorraine louis louise lucas lucia "
    "lucy luis luke luna lydia lynn maeve malik marc marco marcus marek margaret maria marie marilyn mario marion "
    "marissa mark marko marta martha martin mary mateo matt matthew maureen max maya megan mei melanie melinda "
    "melissa mia michael michelle miguel mike mila milan mira miriam mirko mohamed mohammed molly monica morgan nadia "
    "nancy naomi natalia natalie natasha nathan neil nia nicholas nick nicola nicole nigel nina noah noor nora norma "
    "nuria odile olga oliver olivia omar oren oscar otis owen pablo paloma pam pamela patricia patrick paul paula "
    "pavel pedro peggy penny pete peter petra phil philip phyllis pierre priya quentin rachel rafael rahul raj rajesh "
    "ralph ramon rania raul ray raymond rebecca renee rhonda ricardo richard rick rita rob robert roberta roberto "
    "robin rodney roger ron ronald rosa rose roy ruben russell ruth ryan sabrina sally sam samantha samir samuel "
    "sandra sanjay santiago saoirse sara sarah scott sean sebastian sergio seth shane shannon sharon shawn sheila "
    "shirley signe simon sofia sonia sophia sophie soren stacy stan stefan stella stephanie stephen steve steven "
    "stuart sue sunil susan suzanne sven sylvia talia tamara tanya tara tariq ted teresa terry teun thandi theo "
    "theresa thomas tiffany tim timothy tina tobias todd tom tomas tommy tony tracy travis trevor troy tyler ulla "
    "valentina valerie vanessa vera veronica vicki vicky victor victoria vikram viktor vincent virginia vivian walter "
    "wanda wayne wei wendy wesley will willem william willie xavier xenia yan yara yolanda yuki yusuf yvonne zach "
    "zachary zara zoe zofia zora".split()
)
PERSON_FIELDS = frozenset(
    "assignee assigneename authorname employee employeename familyname firstname fullname givenname lastname manager "
    "middlename ownername realname surname".split()
)
"""Fields, letters only, that hold a person's name or half of one."""


def is_person(name: str) -> bool:
    """Whether two or three words begin with a given name, as a person's name does."""
    words = words_of(name)
    return 2 <= len(words) <= 3 and words[0] in GIVEN_NAMES and all(word.isalpha() for word in words)
