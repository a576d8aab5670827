"""Honest packages whose names are close to the name of a much used one."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.words import words

NEIGHBOURS: Final = words("""
accept aiofile ansistyles aresponses args-parser as-number aws-cdk axiom bazel bcrypto
beautifulsoup bmocha bootstrap3 bower bpython brace buffers camel-case cattrs cchardet chartjs
cjs-loader clack clerc cli-table cli-table2 color color-namer colord confit constructs cookies
cose-js cramda crick cronitor crypto-es crypto-ts csp-parse css-parse csso-loader cssselect2
csv-loader csv-parser ctransformers cwcwidth dataset datazets deep-merge deepdiff6 demoji
discord-py django-filer djongo dtslint dydantic eclint ecoji efinance elasticsearch5
elasticsearch6 elasticsearch7 elasticsearch8 elasticsearch9 es-cookie esplint eventemitter
eventemitter2 fabric2 fabric3 faiss-gpu fastai findup flatten form-data2 futures gaxios
get-value git-python gitdb2 globals google-oauth grant graphiql grequests gsutil hasbin
highlightjs html-text htmlparser http-proxy-agent http2-proxy httperrors httpr inherit inquirer2
ipytest is-array is-node isbuffer jsdoc jslint json2 json3 json8 json_ jsona jsonc jsonh jsonp
jsonpath jssip lodash-node lodash.set lrucache lucide-preact mantinex markdown2 masked mem-fs
memjs mime-type mkdir mkdirp2 mocker mquery msbuild msgpack5 mssql murmurhash2 nest-asyncio2
nestjsx ngboost normalize.scss npm-run-all2 nprogress nvidia-ml-py3 oauth2-client openapi parse
parsy pathy pbspark pdf-parser pdfminer2 preact-redux preact-router prettierx prism progressbar
prompt protobuf.js ps-node psycopg-binary psycopg2-pool pyaml pyasn pydoe pygam pyjdbc pylink
pymantic pymssql pymupdfb pypdf3 pypdf4 pyqt6 pyshark pytest-csv python pytimeparse2 qhistory
query-string rambda randombytes rdf-parse react-router5 react-selecto reactn recharts
regenerator remask remend remotion reqwest retworkx rslint safer-buffer scanpy scipp scrypt
scss-loader semiver semver4 server servie simple-get simpy solara split spython sqlite stable
storyblok strip stylis svitejs sweetalert tablib telegram tensorboardx tensorflowjs through
through3 tinycolor tombi tools torchx tslab tslint-config-prettier tslint-plugin-prettier
ttypescript uglify-es unicorn uri-js uri-template user-agent vasync vbuild vinejs vizejs vrtest
websocket whisperx willow wsgiref xml-js xmlbuilder2 yml-loader
""")
