"""Names of packages that are used so much that others are named to be taken for them."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.words import words

PYPI: Final = words("""
aiofiles aiohttp airflow alembic altair anthropic anyio apscheduler argcomplete arrow asgiref
asyncpg attrs authlib autogen autopep8 awscli azure-core azure-identity azure-storage-blob babel
bcrypt beautifulsoup4 black bleach blinker bokeh boto3 botocore bs4 build cachetools catboost
celery certifi cffi chardet charset-normalizer chromadb click cloudpickle cohere colorama
coloredlogs coverage crewai cryptography cython dash dask dataclasses-json datasets debugpy
deepspeed defusedxml diffusers dill discord distro django django-cors-headers
djangorestframework dnspython docker docopt docutils docxtpl duckdb elasticsearch emoji
exceptiongroup fabric faiss-cpu faker fastapi fastmcp ffmpeg-python filelock fire flake8 flask
flask-cors flask-login flask-sqlalchemy fonttools fpdf fsspec future gdown gensim geopandas
gevent gitpython google-api-python-client google-auth google-cloud-storage google-genai
google-generativeai gradio greenlet grpcio gspread gunicorn h11 hatchling html5lib httpcore
httplib2 httptools httpx huggingface-hub hydra-core hypothesis idna imageio importlib-metadata
invoke ipykernel ipython isort itsdangerous jax jedi jinja2 jmespath joblib jsonschema jupyter
jupyterlab keras keyring kubernetes langchain langchain-community langchain-core
langchain-openai langgraph langsmith lightgbm litellm llama-index locust loguru lxml magika mako
markdown markdown-it-py markdownify markitdown markupsafe marshmallow matplotlib mcp mkdocs
mkdocs-material mlflow moviepy msgpack multidict mypy mysql-connector-python mysqlclient
nbconvert nbformat networkx nltk notebook notion-client numba numpy oauthlib ollama onnxruntime
openai openai-whisper opencv-python opencv-python-headless openpyxl opentelemetry-api
opentelemetry-sdk orjson packaging pandas paramiko passlib pathspec pdf2image pdfkit pdfminer
pdfplumber peewee pendulum pexpect pika pillow pip pipenv pipx platformdirs playwright plotly
pluggy poetry polars pre-commit prettytable prometheus-client prompt-toolkit protobuf psutil
psycopg psycopg2 psycopg2-binary pyarrow pyasn1 pyautogui pycryptodome pycryptodomex pydantic
pydantic-settings pydub pygame pygithub pygments pyinstaller pyjwt pylint pymongo pymupdf
pymysql pynacl pyodbc pyopenssl pyparsing pypdf pypdf2 pyperclip pyqt5 pyserial pyspark
pytesseract pytest pytest-asyncio pytest-cov pytest-mock pytest-xdist python-dateutil
python-docx python-dotenv python-jose python-multipart python-pptx python-slugify
python-telegram-bot pytorch-lightning pytz pywin32 pyyaml pyzmq qrcode ray redis regex reportlab
requests requests-oauthlib requests-toolbelt responses rich rsa ruamel-yaml ruff s3fs s3transfer
sacrebleu safetensors scapy scikit-image scikit-learn scipy scrapy seaborn selenium semver
sentence-transformers sentencepiece sentry-sdk setuptools shapely simplejson six slack-sdk
slackclient sniffio snowflake-connector-python solana spacy sphinx sqlalchemy sqlmodel starlette
statsmodels streamlit stripe structlog supabase sympy tabulate tenacity tensorboard tensorflow
termcolor textual tiktoken timm tokenizers toml tomli toolz torch torchaudio torchvision tornado
tox tqdm trafilatura transformers trio tweepy twilio twine typer typing-extensions tzdata
tzlocal ujson urllib3 uvicorn uvloop validators virtualenv vllm wandb watchdog watchfiles web3
websocket-client websockets werkzeug wheel whisper wrapt xgboost xlrd xlsxwriter xlwt xmltodict
yarl yfinance youtube-dl yt-dlp zipp zstandard
""")

NPM: Final = words("""
accepts ajv ansi-regex ansi-styles anthropic apollo-server archiver argparse astro async
autoprefixer aws-sdk axios babel-cli babel-core babel-loader bcrypt bcryptjs bignumber.js
bluebird body-parser bootstrap boxen browserify browserslist bull bullmq bunyan camelcase chai
chalk chart.js cheerio chokidar classnames cli-progress cli-table3 clsx color-convert color-name
colors commander compression concurrently config connect-redis cookie cookie-parser core-js cors
cosmiconfig cross-env cross-spawn crypto-js css-loader cssnano csv-parse cypress d3 d3.js
date-fns dayjs debug deepmerge discord.js docusaurus docx dotenv dotenv-cli echarts ejs electron
electron-builder ember-cli enquirer enzyme esbuild escape-string-regexp eslint
eslint-config-prettier eslint-plugin-import eslint-plugin-react event-stream eventemitter3 execa
expo express express-rate-limit express-session express-validator fabric fast-deep-equal
fast-glob fast-xml-parser fastify ffmpeg-static figlet file-loader find-up firebase
firebase-admin flatted follow-redirects form-data formik framer-motion fs-extra fuse.js gatsby
glob globby got graphql grunt gulp handlebars hardhat has-flag helmet highlight.js history hono
html-webpack-plugin http-proxy-middleware http-server https-proxy-agent husky i18next iconv-lite
immer immutable inherits inquirer ioredis isomorphic-fetch jest jimp joi jquery js-yaml jsdom
json5 jsonwebtoken jspdf jszip karma katex keytar knex koa kysely langchain laravel-mix leaflet
lerna less lint-staged lit livekit-client lodash lodash-es lodash.merge log4js lowdb lru-cache
lucide-react mammoth markdown-it marked mathjax mermaid micromatch mime mime-types minimatch
minimist mkdirp mocha moment moment-timezone monaco-editor mongodb mongoose morgan ms msw multer
mysql mysql2 nanoid nest next next-auth ngrok nock node-cron node-fetch node-gyp node-pty
nodemailer nodemon normalize.css npm-run-all npx nuxt nyc object-assign ollama open openai ora
oxlint p-limit p-queue papaparse parcel passport passport-jwt path-to-regexp pdf-lib pdf-parse
pdfjs-dist pdfkit pg phantomjs picocolors picomatch pino playwright plotly.js pm2 pnpm postcss
postcss-loader preact prettier prisma prismjs progress prompts prop-types protobufjs puppeteer
puppeteer-core qrcode qs querystring ramda rate-limiter-flexible react react-dom react-hook-form
react-native react-query react-redux react-router react-router-dom react-scripts readable-stream
redis redux redux-thunk reflect-metadata remark request request-promise resend rimraf rollup
rxjs safe-buffer sass sass-loader selenium-webdriver semver sequelize serialize-javascript
serverless sharp shelljs shx signal-exit sinon socket.io socket.io-client solc source-map
source-map-support sqlite3 string-width strip-ansi stripe style-loader styled-components
stylelint stylus supabase superagent supertest supports-color svelte swr tailwindcss tape
telegraf terser terser-webpack-plugin three through2 tmp tough-cookie ts-jest ts-loader ts-node
tslib tslint tsup tsx turbo turndown twilio typeorm typescript ua-parser-js uglify-js underscore
undici urijs url-loader uuid validator vercel vite vitest vue vue-router vuex wagmi web3 webpack
webpack-cli webpack-dev-server webpack-merge whatsapp-web.js which winston wrap-ansi ws xlsx
xml2js yaml yargs yargs-parser yarn yup zod zustand
""")

NPM_SCOPES: Final = words("""
angular anthropic-ai apollo astrojs aws-sdk azure babel chakra-ui clerk cloudflare commitlint
dnd-kit emotion eslint expo fastify firebase floating-ui fortawesome google google-cloud
graphql-tools headlessui heroicons hono hookform jest langchain mantine mdx-js mistralai
modelcontextprotocol mui nestjs nextui-org nuxt nx octokit openai opentelemetry playwright
popperjs prisma radix-ui react-native react-navigation reduxjs remix-run rollup sentry sinclair
slack solana storybook stripe supabase sveltejs swc tailwindcss tanstack tensorflow
testing-library trpc types typescript-eslint vercel vitejs vitest vue vueuse wagmi webassemblyjs
xenova
""")

# The ones whose names are most often dressed up with a prefix or suffix.
DRESSED: Final = words("""
anthropic axios beautifulsoup boto3 chalk colorama commander cryptography discord django dotenv
express flask jsonwebtoken lodash mongoose nodemailer numpy openai pandas pillow playwright
puppeteer pytorch react requests scipy selenium telegram tensorflow typescript urllib3 webpack
""")
