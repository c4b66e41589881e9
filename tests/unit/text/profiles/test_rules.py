from historian.text.profiles.rules import everybody_in, is_about


def test_a_fact_is_about_whoever_opens_it() -> None:
    assert is_about("阿明的妈妈是医生", "阿明")
    assert not is_about("小王喜欢阿明", "阿明")
    assert not is_about("Anna likes tea", "Ann")
    assert not is_about("anything", "")


def test_a_word_for_all_members_begins_a_fact_about_the_group() -> None:
    assert everybody_in("大家都养猫") == "大家" and everybody_in("Everyone has a cat") == "Everyone"
    assert everybody_in("Ann likes everyone") == ""
