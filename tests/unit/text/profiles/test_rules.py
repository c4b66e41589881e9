from historian.schema.names import Names
from historian.text.profiles.lines import everybody_in, subject_of


def test_a_fact_is_about_whoever_opens_it() -> None:
    people = Names(user_name="Ann", others=("阿明",))
    assert (
        subject_of("阿明的妈妈是医生", people) == "阿明"
        and subject_of("小王喜欢阿明", people) == ""
    )
    assert (
        subject_of("Anna likes tea", people) == "" and subject_of("“ann likes tea", people) == "Ann"
    )


def test_a_word_for_all_members_begins_a_fact_about_the_group() -> None:
    assert everybody_in("大家都养猫") == "大家" and everybody_in("Everyone has a cat") == "Everyone"
    assert everybody_in("Ann likes everyone") == ""
