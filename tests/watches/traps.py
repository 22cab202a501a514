"""Titles that fool a simple search: width, kana, dashes, model numbers, marks, other scripts; labelled by hand."""

MATCH, MISS = True, False
TRAPS = [
    # width
    ("ＳＯＮＹ　ＷＨ－１０００ＸＭ５", "sony wh-1000xm5", MATCH),
    ("SONY WH-1000XM5", "ＷＨ－１０００ＸＭ５", MATCH),
    ("ﾆﾝﾃﾝﾄﾞｰｽｲｯﾁ 本体", "ニンテンドースイッチ", MATCH),
    ("ニンテンドースイッチ", "ﾆﾝﾃﾝﾄﾞｰｽｲｯﾁ", MATCH),
    ("㈱ルミナ 純正ケース", "ルミナ", MATCH),
    ("５０㎜ 単焦点", "50mm", MATCH),
    ("PlayStation®5 本体", "playstation 5", MISS),  # a mark of trade is no space
    # kana
    ("がんだむ 初期", "ガンダム", MATCH),
    ("か\u3099んた\u3099む 初期", "ガンダム", MATCH),
    ("ガンダム", "がんだむ", MATCH),
    ("ヴァイオリン", "バイオリン", MISS),  # another spelling is a synonym, never a guess
    ("ヴァイオリン", "バイオリン|ヴァイオリン", MATCH),
    ("コンピュータ", "コンピューター", MISS),
    ("コンピューター", "コンピュータ", MATCH),
    ("がんだむの本", "ガンダム", MATCH),
    ("ポケリアカード", "ぽけりあ", MATCH),
    # a word in katakana is no part of one in hiragana, which is grammar more often
    ("きれいな品です", "レイ", MISS),
    ("れいの人形", "レイ", MATCH),
    ("きれいな品、れいの人形", "レイ", MATCH),
    ("ぬいぐるみ 大", "ルミ", MISS),
    ("お楽しみください", "ミク", MISS),
    ("みくちゃん 人形", "ミク", MATCH),
    ("歌姫みく 人形", "ミク", MATCH),
    ("ｷﾚｲな品です", "レイ", MATCH),
    ("きれいな品です", "れい", MATCH),
    ("あまり使っていません", "マリ", MISS),
    ("アルミ ケース", "ルミ", MATCH),
    # dashes and long-vowel marks
    ("RX-78", "rx－78", MATCH),
    ("RX−78", "RX‐78", MATCH),
    ("RXー78", "RX-78", MATCH),
    ("スーパーカー", "ス－パ－カ－", MATCH),
    ("A〜B セット", "A~B", MATCH),
    # model numbers stand alone
    ("Leica Q1 本体", "Q1", MATCH),
    ("Sony Q1R5 本体", "Q1", MISS),
    ("Q10 ケース", "Q1", MISS),
    ("XQ1", "Q1", MISS),
    ("Q1本体", "Q1", MATCH),
    ("新品Q1", "Q1", MATCH),
    ("(Q1)", "Q1", MATCH),
    ("Q1/Q2 兼用", "Q1", MATCH),
    ("Q1, Q2", "q2", MATCH),
    ("α7III", "α7", MISS),
    ("α7 III", "α7", MATCH),
    ("PS5", "PS", MISS),
    ("PS5 PS4", "PS4", MATCH),
    ("iPhone13ケース", "iPhone 13", MISS),
    ("iPhone13ケース", "iPhone 13|iPhone13", MATCH),
    ("F1.4 レンズ", "1.4", MISS),
    ("50mm F1.4", "F1.4", MATCH),
    ("1/144 プラモデル", "1/144", MATCH),
    ("11/144", "1/144", MISS),
    ("No.12", "no.1", MISS),
    # phrases
    ("コンパクト カメラ", "コンパクト カメラ", MATCH),
    ("カメラ コンパクト", "コンパクト カメラ", MISS),
    ("コンパクト　　カメラ", "コンパクト カメラ", MATCH),
    # words inside words: Japanese has no spaces
    ("限定カメラケース", "カメラ", MATCH),
    ("カメラマン人形", "カメラ", MATCH),
    ("東京都", "京都", MATCH),
    # signs nobody sees
    ("カ\u200bメ\u200bラ", "カメラ", MATCH),
    ("ルミ\u00adナ", "ルミナ", MATCH),
    ("❤️カメラ❤️", "カメラ", MATCH),
    ("👨‍👩‍👧 家族セット", "家族セット", MATCH),
    ("❤ ハート", "❤️", MATCH),
    # other scripts
    ("كاميرا ルミナ", "ルミナ", MATCH),
    ("كاميرا", "كاميرا", MATCH),
    ("КАМЕРА Зенит", "зенит", MATCH),
    ("Straße", "STRASSE", MATCH),
    ("Café", "Cafe\u0301", MATCH),
    ("Café", "cafe", MISS),
    # entities stay as typed, digits may be circled
    ("R&B レコード", "r&b", MATCH),
    ("R&amp;B", "R&B", MISS),
    ("第①巻", "1", MATCH),
    ("Ⅳ型", "iv", MATCH),
    ("第11巻", "1", MISS),
]
