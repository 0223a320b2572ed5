"""First names that are seldom anything else, in the languages the screening speaks. Written from everyday use."""

from __future__ import annotations

from typing import Final

from iris_memory.masking.words import listed

GIVEN_NAMES: Final = listed(
    """
    aaron abigail adam adele adrian agnes ahmed aisha alan albert alberto alejandro aleksander alessandro alex
    alexander alexandra alfred alice alicia alina amanda amelia amina amir amy ana anders andrea andreas andrew
    angela angelika anita anja anna annabel anne annika antoine anton antonia antonio arthur astrid aurelie barbara
    beatrice beatriz benjamin bernard bernd bettina bianca birgit bob brenda brian bruno camille carla carlos carmen
    carol caroline catarina catherine cecilia celine charles charlotte chiara chloe christian christina christine
    christoph claire claudia clemens colin cristina daan daniel daniela david deborah dennis diana diego dieter
    dominik donna dorothea edith eduardo edward elena elias elif elisa elisabeth elizabeth ella ellen emilia emily
    emma enrico eric erika esther eva evelyn fabian fatima federico felipe felix fernanda fernando filip fiona
    florian francesca francesco francisco francois frank franziska fred frederic frederik friedrich gabriel gabriela
    georg george gerard gerhard giovanni giulia giuseppe gloria greta guillaume gunther gustav hanna hannah hannes
    hans harald harry hassan heather heidi heike helen helena helga hendrik henri henry herbert hugo ibrahim ines
    ingrid irene iris isabel isabella ivan jack jacob jacqueline jacques jakob james jan jana jane janet javier jean
    jeanne jennifer jens jeremy jessica joan joana joao joaquin johan johanna johannes john jonas jonathan jorge
    jose josef joseph joshua juan judith julia julian juliana julie julien juliette jurgen jutta karen karin karl
    katarina katharina katherine kathrin katrin keith kenneth kevin khaled klaus konrad kristina kurt lars laura
    lauren laurent lea leila lena leon leonardo leonie lieke lies lina linda lisa lorenzo louis louise luca lucas
    lucia lucie lucy luigi luis luisa lukas luke magdalena manfred manuel manuela marc marcel marco marcos marek
    margaret margarida maria mariana marie marina mario marion markus marta martha martin martina mary mateo mathieu
    matteo matthew matthias maurice maximilian megan mehmet melanie mercedes michael michaela michel michelle miguel
    mila milan miriam mohamed mohammed monica monika muhammad nadia nancy natalia natalie nathan nicholas nicolas
    nicole niels nina noah nora norbert oliver olivia omar oscar otto pablo paola paolo pascal patricia patrick paul
    paula pauline pedro peter petra philip philipp pierre pieter priya rachel rafael raj ralf ramon raquel rebecca
    regina rene ricardo richard rita robert roberto roger roland rolf ronald rosa roy ruben ruth ryan sabine sabrina
    salma samantha samuel sandra sara sarah sebastian serena sergio sharon silvia simon simone sofia sonia sophia
    sophie stefan stefania stefano steffi stephanie stephen steven susan susanne suzanne sven svenja sylvia tanja
    teresa theodor theresa thomas thorsten tim timo tobias tom tomas ulrich ulrike ursula uwe valentina valerie
    vanessa vera veronica veronika victor victoria vincent virginia walter werner wilhelm willem william wolfgang
    xavier yasmin yusuf yves zoe
    """
)
