"""Honest packages whose names are close to the name of a much used one."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.words import words

NEIGHBOURS: Final = words("""
accept aiofile aresponses args-parser aws-cdk axiom bazel bcrypto bmocha bootstrap3 bpython
camel-case cattrs cchardet chartjs cjs-loader clack clerc cli-table cli-table2 color color-namer
colord confit cookies cose-js cramda crick crypto-es crypto-ts csp-parse css-parse csso-loader
csv-loader csv-parser ctransformers dataset datazets deep-merge demoji discord-py djongo dtslint
dydantic eclint ecoji efinance elasticsearch5 elasticsearch6 elasticsearch7 elasticsearch8
elasticsearch9 esplint eventemitter eventemitter2 fabric2 fabric3 faiss-gpu fastai findup
flatten form-data2 futures gaxios google-oauth grant graphiql grequests gsutil highlightjs
http-proxy-agent httpr inherit inquirer2 ipytest is-node jsdoc jslint json2 json3 json8 json_
jsona jsonc jsonh jsonp jssip lrucache lucide-preact mantinex markdown2 masked mime-type mkdir
mkdirp2 mocker mquery msbuild mssql nestjsx ngboost normalize.scss npm-run-all2 nprogress
openapi pbspark pdf-parser pdfminer2 preact-redux preact-router prettierx prism prompt
protobuf.js ps-node psycopg-binary pyaml pyasn pygam pyjdbc pylink pymantic pymssql pymupdfb
pypdf3 pypdf4 pyqt6 pyshark pytest-csv python qhistory query-string rambda rdf-parse react-router5
reactn recharts remask remend remotion reqwest retworkx rslint safer-buffer scanpy scipp scrypt
scss-loader semiver semver4 server simpy solara spython sqlite storyblok strip stylis svitejs
telegram tensorboardx tensorflowjs through through3 tombi tools torchx tslab
tslint-config-prettier ttypescript uglify-es unicorn uri-js vasync vbuild vinejs vizejs vrtest
websocket whisperx willow wsgiref xml-js
""")
