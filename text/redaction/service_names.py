"""Names of services, and the words that go with them in the names of settings."""

import re

SERVICES = frozenset(
    re.findall(
        r"\S+",
        """
        abstractapi abuseipdb accuweather adafruit adobe adyen agora ahrefs aikido airbrake airtable airvisual aiven
        akamai alchemy ai21 algolia alibaba aliyun alphavantage amadeus amap amazon amplitude anthropic anticaptcha anypoint
        anyscale apiflash apify apigee appcenter appcues appdynamics appfollow applovin appoptics appsflyer appsignal
        appveyor artifactory asaas asana assemblyai atlassian auth0 authress autodesk avalara aviationstack aws axiom
        ayrshare azure backblaze baidu bamboohr bandwidth baremetrics basecamp baseten beamer beebole bestbuy betterstack
        bigcommerce bigdatacloud bigquery billomat binance binaryedge bing bingmaps bitbucket bitcoinaverage bitfinex
        bitly bitmex bitrise bitstamp bittrex blazemeter blitapp blockfrost blogger bluesky blynk bmc braintree braze
        brevo browserless browserstack bscscan bubble buddy bugsnag buildkite bunny bunnycdn bybit caiyun calendarific
        calendly campaignmonitor canva capsulecrm captcha cartesia cashfree censys cerebras chargebee chargify chartmogul
        chatgpt checkly checkmarx checkout checkvist chef circleci clarifai clearbit clerk clickhouse clicksend clickup
        clojars cloudant cloudconvert cloudflare cloudinary cloudmersive cloudsight cloudsmith cloverapp cockroach codacy
        codeclimate codecov codemagic coderabbit codeship cohere coinapi coinbase coingecko coinlayer coinlib
        coinmarketcap commercetools companieshouse confluence confluent consul contentful contentstack contribsys
        convertapi convertkit copper couchbase coveralls coze crates criminalip crossmint crowdin crowdstrike
        cryptocompare currencylayer currencystack cursor customerio dailymotion databento databricks datadog datadoghq
        dataforseo datagov datarobot dbt deepai deepgram deepinfra deepl deepseek deezer delighted demio deno dependabot
        deputy deviantart dfuse dialogflow diffbot digicert digitalocean dingtalk directus discogs discord discordbot
        disqus dnscheck dnsimple dnspod docker dockerhub docusign doppler dotenv douban dovico dreamhost drift drone
        droneci dropbox duffel duo dwolla dynadot dynatrace easypost ebay ecobee edamam edenai eightxeight elastic
        elasticsearch elevenlabs emailjs enigma envato eraser etherscan etsy eventbrite everhour exa exchangerate
        exchangeratesapi expo facebook facepp fal fastly fastspring fauna faunadb feedly feishu fibery fiftyone figma
        filestack findl finicity finnhub firebase firecrawl fireworks fitbit fivetran fixer fleetbase flickr flightapi
        flightstats float flutterwave flyio fofa formbricks formio formspree foursquare frameio freeagent freemius
        freshbooks freshdesk freshservice fullcontact fullstory fusebill gaode garmin gcp gemini gengo genius geoapify
        geocode geocodio geoipify getgeoapi getresponse getui ghost ghostinspector giphy gitalk gitea gitguardian github
        gitlab gitter gnews gocardless godaddy goodreads google goshippo grafana graphcms graphhopper gravitee greynoise
        groq growthbook guardian gumroad gusto gyazo hackerone happyscribe harness harvest hashicorp hcaptcha heap
        hellosign helpscout hereapi hereapikey heroku hetzner heweather highnote hightouch hive hiveage holidayapi
        honeybadger honeycomb honeywell hotjar huawei huaweicloud hubspot hubspotapi huggingface hunter hunterio hw
        hyperbrowser hypertrack ibm iconfinder iexcloud iflytek imagekit imgbb imgur immich infisical influxdb infobip
        infracost infura insightly instagram instamojo intercom interzoid intrinio ionic ip2location ipapi ipdata
        ipgeolocation ipify ipinfo ipinfodb ipquality ipstack iterable jdbc jenkins jfrog jina jira jotform jpush juhe
        jumpcloud juro kaggle kagi kairos kanban karma keen keycloak keygen kickbox kickstarter kiteworks klaviyo knapsack
        kontent kraken kuaishou kucoin lambdatest langchain langfuse langsmith lark larksuite lastfm launchdarkly ldap
        leaflet leakix lemlist lemonsqueezy letta lichess line linear linkedin linode liveagent livekit livestorm
        llamacloud lob locationiq logdna loggly loginradius logmein logtail logzio lokalise looker loqate lumen lunchmoney
        luno lyricsgenius magento mailboxlayer mailchimp mailerlite mailersend mailgun mailjet mailmodo mailtrap mandrill
        mapbox mapillary mapquest maptiler marketo marketstack mastodon matomo mattermost mavenlink maxmind mch mediastack
        meilisearch mem0 mend meraki mercury mergify messagebird metaapi metabase metrilo mezmo microcms microsoft
        midtrans minimax minio mistral mistralai mixpanel mockaroo modal mollie monday mongodb moonclerk moonshot moosend
        moralis mouser muckrack mux myfreshworks myintervals mysql nasa nebius neon neptune nessus netcore netdata netlas
        netlify neutrinoapi newrelic newsapi newscatcher nexmo nexmoapi nexus ngrok nhost nightfall nimble nomad nordigen
        noticeable notion npm nuget numverify nutritionix nvidia nylas nytimes oanda octopus oddsapi okta ollama omdb
        omise omnisend onedesk onelogin onepassword onesignal onwatch onyphe oopspam openai openaq opencage opencagedata
        openexchangerates opengraphr openrouter openrouteservice openstack openuv openvpn openweather openweathermap
        opsgenie optimizely oracle orb orbit otx oura owlbot packagecloud paddle pagerduty palantir pandadoc pangea
        papertrail papyrs parallel parsehub parseur pastebin paymongo paypal paystack payu pcloud pendo pepipost percy
        perplexity persona pexels phabricator phpmailer phrase pinata pinecone pinterest pipedream pipedrive
        pivotaltracker pixabay plaid planetscale planview planyo playstation plivo pocket podio pollinations pollsapi
        polygon polygonscan polymarket portainer positionstack postageapp postbacks postgres postgresql posthog postman
        postmark powrbot prefect prismic privateai procore producthunt prospectcrm proxmox proxycrawl pubnub pulsedive
        pulumi purestake pushbullet pusher pusherapp pushover pypi qase qdrant qiniu quake qualaroo qualtrics qualys
        qubole quickbase quicknode quiknode qweather rabbitmq rapid7 rapidapi raven rawg raygun razorpay readme readwise
        realtimeapi rebrandly recaptcha recharge recurly reddit redis redshift refiner remotefilter removebg replicate
        replit resend restpack retell retellai rev revampcrm revenuecat ring ringcentral riot ritekit roaring robinhood
        roblox robocorp rollbar rootly rownd rubygems runpod runrunit runway runwayml safetyculture salad salesforce
        salesmate samsara sanity satismeter sauce saucelabs scale scaleway scalingo scalr scrapeowl scraperapi scraperbox
        scraperstack scrapfly scrapingant scrapingbee screenshotapi screenshotlayer sectigo securitytrails segment
        selectpdf semaphore sendbird sendgrid sendinblue sendpulse sentiment sentinelone sentry serpapi serper serphouse
        serpstack servicenow sheety sherpadesk shipday shippo shodan shopee shopify shortcut shotstack shutterstock
        sidekiq sigopt siliconflow simfin simplesat simplynoted skrappio skybiometry slack slackbot smartling smartsheet
        smartystreets smooch smsaero snipcart snov snovio snowflake snyk socket softlayer solarwinds sonar sonarcloud
        sonarqube sonatype soundcloud sourcegraph sparkpost splunk spoonacular sportmonks sportradar sqreen square
        squareapp squarespace squareup sslmate stability stabilityai stackblitz stackhawk statsig statuscake statuspage
        stepfun storecove stormboard stormglass storyblok storychief strapi strava streak stripe stripo stytch sugester
        sumo sumologic supabase supernotes surge surveyanyplace surveybot surveysparrow survicate svix swell swiftype
        tableau tailscale tatum tavily taxjar teamcity teamgate teamviewer teamwork technicalanalysisapi telegram
        telegrambot telnyx tenable tencent tencentcloud terraform textmagic theodds thingsboard thingspeak thousandeyes
        tianapi tianditu ticketmaster tiingo tiktok tinybird tinypng tmdb todoist togetherai toggl tomorrowio tomtom
        trademe travelpayouts travis travisci trello truelayer truenas trufflehog trustpilot tumblr turnstile twelvedata
        twilio twitch twitter tyntec typeform typesense typetalk ubidots uclassify umeng unbounce unifi unify unkey
        unplash unsplash upcdatabase uplead uploadcare upstash uptimerobot upwave urlhaus urlscan userflow userstack
        valtown vastai vault vbout veracode vercel verifier verimail veriphone versioneye viewneo vimeo virustotal
        visualcrossing vk vkontakte vmware voicegain volcengine vonage vouchery voyage voyageai vpnapi vultr vyte wakatime
        walkscore wandb weatherapi weatherbit weatherstack weaviate webex webflow webscraper webscraping webvitals wechat
        weibo weightsandbiases weixin wepay whatsapp whitesource whoxy wistia wit witai withings wix wiz woocommerce
        wordpress workato workday workos workstack worldcoinindex worldweather wrike xai xata xendit xero yandex yelp ynab
        youneedabudget zapier zapierwebhook zendesk zenloop zenrows zenscrape zenserp zeplin zerobounce zerossl zerotier
        zhipu zhipuai zillow zipapi zipbooks zipcodeapi zipcodebase zoho zonka zoom zoomeye zoominfo zulip zulipchat zuora
        zuplo
        """,
    )
)
"""Written in one: `New Relic`, `new_relic` and `newRelic` are read as `newrelic`."""
OF_SOURCES = frozenset(
    re.findall(
        r"\S+",
        """
        artifactory axiom bitbucket bubble buddy canva captcha checkout clojars codecov copper crates cursor deno
        dependabot docker dockerhub drift drone dropbox elastic elasticsearch expo facebook figma firebase float gemini
        ghost gitea github gitlab grafana guardian heap hive hunter imgur influxdb jfrog karma line linear metabase minio
        modal mongodb mysql netlify notion npm nuget orb persona phrase pocket polygon postgres postgresql pypi redis rev
        ring rubygems scale segment shortcut socket sourcegraph square strapi surge terraform trello vercel
        """,
    )
)
"""Services beside whose names a bare digest is a commit, a layer or a package, and those whose names are words."""
KEY_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
        access accesskey accesstoken ak api apikey apikeys apitoken appkey appsecret auth authentication authkey
        authorization authtoken bearer cred credential credentials creds dsn hec jwt key keys licence license login oauth
        oauth2 pass passphrase passwd password pat private pwd sdk sdkkey secret secrets session sessionkey signature
        signing sk token tokens unseal webhook
        """,
    )
)
"""What says that a setting is a key or the like."""
FILLERS = frozenset(
    re.findall(
        r"\S+",
        """
        admin ai app bot cfg char client cloud com conf config connect const corp create default define dev development
        env expo export final for from gatsby global http https init io is labs let live local main my new next nuxt old
        our platform prod production react rest root sandbox self service services set setting settings setup stage
        staging static str string test testing the this v val var vite x
        """,
    )
)
"""Words that the name of a setting may hold whatever it sets."""
OF_KEYS = frozenset(
    re.findall(
        r"\S+",
        """
        account admin agent application base basic broker build cache ci cluster company consumer content customer data
        database db delivery deploy deployment developer devops email event events fine free function functions gateway
        grained hub ingest ingestion integration license lived log logs long mail management map maps master media
        merchant metrics notification ops org organisation organization partner personal pipeline primary pro project
        proxy public publish push read registration registry repo repository rest runner scoped search secondary server
        sms space storage store subscription team tenant term tokenization trial user v1 v2 v3 web workspace write
        """,
    )
)
"""Words that it may hold where it also says that it is a key: without that it may be an id."""
