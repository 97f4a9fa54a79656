"""Short invented texts in languages the rules cover and in languages they do not."""

COVERED = {
    "en": "The patient came to the clinic on Monday because she had been feeling tired for several weeks. Her doctor "
    "asked about her work and her sleep, and ordered a blood test. She was told to come back if the pain got worse.",
    "es": "La paciente acudió a la consulta el lunes porque llevaba varias semanas cansada. El médico le preguntó por su "
    "trabajo y por el sueño, y pidió un análisis de sangre. Le dijeron que volviera si el dolor empeoraba.",
    "de": "Die Patientin kam am Montag in die Praxis, weil sie sich seit mehreren Wochen müde fühlte. Der Arzt fragte nach "
    "ihrer Arbeit und ihrem Schlaf und ließ das Blut untersuchen. Sie sollte wiederkommen, falls die Schmerzen zunehmen.",
    "fr": "La patiente est venue à la consultation lundi parce qu'elle se sentait fatiguée depuis plusieurs semaines. Le "
    "médecin lui a posé des questions sur son travail et son sommeil, puis il a demandé une analyse de sang.",
    "it": "La paziente è venuta in ambulatorio lunedì perché si sentiva stanca da diverse settimane. Il medico le ha "
    "chiesto del lavoro e del sonno e ha prescritto un esame del sangue. Deve tornare se il dolore peggiora.",
    "pt": "A paciente veio à consulta na segunda-feira porque se sentia cansada há várias semanas. O médico perguntou "
    "pelo trabalho e pelo sono e pediu uma análise ao sangue. Disseram-lhe que voltasse se a dor piorasse.",
    "nl": "De patiënte kwam maandag naar de praktijk omdat ze zich al een paar weken moe voelde. De arts vroeg naar haar "
    "werk en haar slaap en liet haar bloed onderzoeken. Ze moest terugkomen als de pijn erger werd.",
}
UNCOVERED = {
    "pl": "Pacjentka zgłosiła się w poniedziałek do przychodni, ponieważ od kilku tygodni czuła się zmęczona. Lekarz pytał "
    "o pracę i sen, a potem zlecił badanie krwi. Powiedziano jej, żeby wróciła, jeśli ból się nasili.",
    "fi": "Potilas tuli maanantaina vastaanotolle, koska hän oli ollut väsynyt jo useita viikkoja. Lääkäri kysyi työstä ja "
    "unesta ja määräsi verikokeen. Häntä pyydettiin palaamaan, jos kipu pahenee.",
    "tr": "Hasta pazartesi günü polikliniğe geldi çünkü birkaç haftadır kendini yorgun hissediyordu. Doktor işini ve "
    "uykusunu sordu, sonra kan tahlili istedi. Ağrı artarsa yeniden gelmesi söylendi.",
    "sv": "Patienten kom till mottagningen i måndags eftersom hon hade känt sig trött i flera veckor. Läkaren frågade om "
    "hennes arbete och sömn och beställde ett blodprov. Hon skulle komma tillbaka om smärtan blev värre.",
    "cs": "Pacientka přišla v pondělí do ordinace, protože se už několik týdnů cítila unavená. Lékař se ptal na práci a na "
    "spánek a nechal udělat rozbor krve. Řekli jí, aby se vrátila, kdyby se bolest zhoršila.",
    "hu": "A beteg hétfőn jött a rendelőbe, mert már több hete fáradtnak érezte magát. Az orvos a munkájáról és az "
    "alvásáról kérdezte, majd vérvizsgálatot kért. Azt mondták neki, jöjjön vissza, ha a fájdalom erősödik.",
    "ro": "Pacienta a venit luni la cabinet pentru că se simțea obosită de mai multe săptămâni. Medicul a întrebat-o "
    "despre muncă și somn și a cerut o analiză de sânge. I s-a spus să revină dacă durerea se agravează.",
    "vi": "Bệnh nhân đến phòng khám vào thứ hai vì chị cảm thấy mệt mỏi trong nhiều tuần. Bác sĩ hỏi về công việc và giấc "
    "ngủ của chị rồi yêu cầu xét nghiệm máu. Chị được dặn quay lại nếu cơn đau nặng hơn.",
    "id": "Pasien datang ke klinik pada hari Senin karena sudah beberapa minggu merasa lelah. Dokter bertanya tentang "
    "pekerjaan dan tidurnya, lalu meminta pemeriksaan darah. Ia diminta kembali jika rasa sakitnya bertambah.",
    "ru": "Пациентка пришла на приём в понедельник, потому что уже несколько недель чувствовала усталость. Врач спросил "
    "о работе и сне и назначил анализ крови. Ей велели вернуться, если боль усилится.",
    "el": "Η ασθενής ήρθε στο ιατρείο τη Δευτέρα γιατί ένιωθε κουρασμένη εδώ και αρκετές εβδομάδες. Ο γιατρός ρώτησε για τη "
    "δουλειά και τον ύπνο της και ζήτησε εξέταση αίματος.",
    "ar": "جاءت المريضة إلى العيادة يوم الاثنين لأنها كانت تشعر بالتعب منذ عدة أسابيع. سألها الطبيب عن عملها ونومها ثم طلب "
    "تحليل دم، وقيل لها أن تعود إذا اشتد الألم.",
    "zh": "病人星期一来到诊所，因为她几个星期以来一直感到疲倦。医生询问了她的工作和睡眠情况，然后要求验血。如果疼痛加重，她应该回来复诊。",
    "hi": "मरीज़ सोमवार को क्लिनिक आई क्योंकि वह कई हफ़्तों से थकान महसूस कर रही थी। डॉक्टर ने उसके काम और नींद के बारे में पूछा "
    "और रक्त जाँच के लिए कहा।",
}
