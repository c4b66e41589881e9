"""The general means of the bundled embedder."""

import numpy as np
from historian.models.embeddings.factory import make_embedder
from historian.models.embeddings.general_means import general_means, nearest_means
from historian.schema.settings import EmbeddingSettings


async def test_seen_from_them_a_change_is_more_alike_than_another_subject() -> None:
    embedder = make_embedder(EmbeddingSettings(provider="local"))
    assert embedder is not None
    means = general_means(embedder.model)
    assert means is not None
    rows = await embedder.embed_documents(
        ["小林住在北京", "小林搬到了上海", "小林对芒果过敏", "Ann lives in Lisbon", "Ann has a cat"]
    )
    await embedder.aclose()
    own = nearest_means(rows, means)
    assert np.array_equal(own, means[[0, 0, 0, 1, 1]])  # each has the mean of its own language
    seen = rows - own
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    plain, centred = (float(v[0] @ v[1] - v[0] @ v[2]) for v in (rows, seen))
    assert centred > 0.15 > 3 * plain


def test_those_of_other_models_are_not_known() -> None:
    assert general_means("openai:bge-m3") is None
