/**
 * `--help`: everything that the command line takes and gives, and of one verb what it takes.
 *
 * @module
 */

interface Section {
  readonly verbs: readonly string[];
  readonly text: string;
}

const TITLE = 'svc-conformance: which mistake does your request signing make?';

/** How each verb is called, and what it does. */
const USAGES: Readonly<Record<string, string>> = {
  run: `  svc-conformance run [options] [ID…] [-- COMMAND…]
      Asks an adapter about every vector and judges its answers. Without a
      command: the adapters of this repository whose toolchain is found. Where
      nothing narrows the vectors, your command's verifiers are also asked about
      requests that are signed with known mistakes, and must refuse them.
  svc-conformance run [options] [ID…] --module FILE
      The same for a JavaScript module that exports a function per operation.`,
  accept: `  svc-conformance accept --reason TEXT [options of run] [ID…] -- COMMAND…
      Runs and writes what fails into the file of --expectations, by cause.`,
  list: `  svc-conformance list [options] [ID…]
      The vectors: id, level, rules.`,
  show: `  svc-conformance show ID…
      One vector whole: its rules, its input, every stage of its answer, and
      a line of python3 that computes the answer by hand.`,
  export: `  svc-conformance export [options] [ID…]
      The questions of the vectors as JSON lines, for a phone, a browser or a
      test runner of your own; or one JSON bundle with the answers.`,
  check: `  svc-conformance check [options] [FILE [ID…]]
      Judges answers that were written down, one JSON object per line, like
      those of an adapter; without FILE those on standard input.`,
  explain: `  svc-conformance explain [options] [FILE]
      One captured request (HTTP text, the output of curl -v, or a URL; else
      standard input): its string to sign line by line, the signature that it
      should carry, and the mistake that the one it carries shows.`,
  serve: `  svc-conformance serve [options]
      The service itself, on this machine: SDKs talk to it as they are, and a
      wrong signature is answered with the mistake it shows.`,
  probe: `  svc-conformance probe [options] URL [ID…]
      A server of yours, asked what it accepts and refuses: rightly and wrongly
      signed requests, known mistakes, expiry, changed replays, limits.`,
  init: `  svc-conformance init [--dialect NAME] LANGUAGE [FOLDER]
      Begins an adapter: the loop done, one function to fill in, a CI file. An
      unknown language gets the list. Then: run --adapter FOLDER.`,
  adapter: `  svc-conformance adapter check [options] -- COMMAND…
  svc-conformance adapter check --adapter NAME
      Checks the messages of an adapter against the protocol.`,
  wire: `  svc-conformance wire [options] -- COMMAND…
      Runs any client program against the service, and judges every request
      that it sends by its signature and by its form. Needs no adapter.`,
  fuzz: `  svc-conformance fuzz [options] -- COMMAND…
      Asks an adapter about requests that nobody wrote down, and shows the
      smallest over which it errs, with the cause.`,
  vectors: `  svc-conformance vectors check [FOLDER]
      Checks YAML files of vectors: shape, ids, rules, stages.
  svc-conformance vectors prove [options] [FOLDER]
      Which known mistakes the vectors catch, whether they tell them apart, and
      whether each vector is needed.
  svc-conformance vectors fill FILE…
      Computes missing expected values with two implementations that must agree.`,
  results: `  svc-conformance results [--check]
      Judges the published SDKs that are set up here and writes RESULTS.md.`,
};

/** What the options of verbs are. */
const SECTIONS: readonly Section[] = [
  {
    verbs: ['run', 'accept', 'list', 'export', 'check', 'probe'],
    text: `Which vectors (run, list, export; check, where FILE has no header line):
  ID                 an id, a folder of ids, or a glob over them
  --rule ID          vectors that test a rule; repeatable, globs too
  --level LEVEL      vectors of a level: must, observed, advised or open;
                     repeatable. What is advised fails a run only where this
                     option names it; without it, runs ask about every level
  --operation NAME   vectors of an operation; repeatable
  --smoke            for each operation, few vectors that catch what all of
                     its vectors catch, or nearly so; within the other filters
  --vectors FOLDER   YAML files of your own instead of those of the package`,
  },
  {
    verbs: ['run', 'accept'],
    text: `How (run):
  --adapter NAME     only this adapter of the repository; repeatable. A folder,
                     such as . or ./my-adapter: the adapter in it, built anew in
                     a compiled language, with its expectations.yaml
  --module FILE      a JavaScript module in the place of -- COMMAND; TypeScript
                     where Node runs it (22.18); for fuzz and adapter check, too
  --dialect NAME     svc (default), ucloud, or SCHEME,PREFIX,PARAMETER
  --wire FORM        how the messages of -- COMMAND are written: json (default)
                     or tabs
  -j, --jobs N       processes of the adapter that share the questions (default 1,
                     at most 256)
  --forged           forged requests for the adapters of this repository, too
  --no-fresh         asks nothing on fresh data. Else a few of the vectors that an
                     adapter passes are asked again with other key pairs, names
                     and contents, always the same for one version of the suite
                     and of the adapter: recorded answers fail
  --seed N           the fresh data of another run
  --fresh [SEED]     every vector on fresh data; SEED as --seed
  --all              every failure, not just the first 20
  --reporter NAME[=FILE]
                     terminal (default), json-lines, junit or markdown, to
                     standard output or to FILE; repeatable
  --expectations FILE
                     the known failures of your adapter; read where it is named
                     only (adapters of this repository have theirs beside them)
  --timeout S        seconds for one question (default 5). Time limits charge the
                     adapter's own time, up to 20 times as long by the clock on a
                     busy machine
  --start-timeout S  seconds until the adapter says hello (default 10)
  --time-limit S     seconds for a whole run (default 600)
  --restarts N       how often a broken adapter is started again (default 12)
                     Every process of the adapter's group is ended with it; one
                     that left the group is found and ended on Linux only, by
                     the variable SVC_RUN_ID`,
  },
  {
    verbs: ['export'],
    text: `What is written (export):
  --format NAME      json-lines (default): questions; bundle: answers as well
  --out FILE         in place of standard output
  --files FOLDER     makes the contents of files there, and names them; else a
                     content is {"recipe": {"size": BYTES, "marks": [[OFFSET,
                     TEXT], …]}}: zeros, with texts written over them
  --dialect NAME     as for run`,
  },
  {
    verbs: ['check'],
    text: `What was answered (check):
  --dialect NAME     as for export; default: as the header of FILE says, or svc
  --all, --reporter NAME[=FILE]: as for run`,
  },
  {
    verbs: ['accept'],
    text: `What becomes known (accept):
  --expectations FILE
                     where to; needless with --adapter NAME that has a file
  --reason TEXT      why it is known and not mended; required
  --cause ID         only failures of this cause, or unexplained; repeatable
  --issue URL        where it is to be mended
  --until DATE       the last day, as 2030-12-31; after it the run fails`,
  },
  {
    verbs: ['explain'],
    text: `What was captured (explain):
  --keys FILE        publicKey and privateKey in YAML, JSON or NAME=VALUE lines;
                     else SVC_PUBLIC_KEY and SVC_PRIVATE_KEY of the environment
  --file-host HOST   what follows the bucket in the host (default: all after the
                     first dot)
  --bucket NAME      the bucket, where the host does not name it
  --dialect NAME     as for run; default: as the request shows it
  --now SECONDS      the clock for Expires (default: now)`,
  },
  {
    verbs: ['serve'],
    text: `What is served, to whom and where (serve):
  --port N           default 4595; 0 for any that is free. Once it listens, it
                     prints: svc-conformance listens on http://127.0.0.1:N
  --host ADDRESS     default 127.0.0.1: this machine only; 0.0.0.0 for all
  --data FOLDER      remembers everything there (default: in memory)
  --repair           with --data: rebuilds a database that cannot be opened
  --check FOLDER     starts no server: reads all of a data folder, reports what
                     is damaged or missing, and changes nothing
  --bucket NAME[:public|private]
                     is there from the start; repeatable (default private)
  --key FILE         a key pair as for explain, in the place of the published
                     development pair:
                     svc-conformance-development-public-key
                     svc-conformance-development-private-key-which-is-no-secret
  --dialect NAME     as for run
  --suffix HOST      what follows a bucket in the host, besides files.localhost,
                     localhost and the stock hosts of the dialect, which a client
                     reaches with http_proxy; a label * is any; repeatable
  --bind HOST=BUCKET a host, with or without port, is a bucket; repeatable
  --strict           only the texts of the specification, not those of SDKs, and no
                     callback policies
  --callbacks        makes the callbacks of put policies, to this machine only
  --cert FILE, --key-file FILE
                     https: certificate and private key, in PEM
  --log [FILE]       a line of JSON for each request (default: standard output)
  --recent N         requests that its page of recent ones, /-/, goes back
                     (default 200; 0 switches the page off). Where --host lets
                     other machines in, the page is off unless N is given.
                     /-/health says whether the server is there`,
  },
  {
    verbs: ['wire'],
    text: `What the client finds, and what counts (wire):
  SVC_PUBLIC_KEY, SVC_PRIVATE_KEY
                     in its environment: the development pair of serve
  SVC_ENDPOINT, SVC_API_URL
                     URLs of the service and of its account API
  SVC_FILE_HOST      what follows a bucket and a dot in a host
  SVC_BUCKET, SVC_BUCKETS
                     the first bucket, and all with commas between them
  http_proxy and its like, JAVA_TOOL_OPTIONS
                     the service as proxy: a client that uses it reaches the
                     service by the stock hosts of the dialect, and nobody else
  --dialect NAME     default ucloud, in which published clients are
  --bucket NAME[:public|private]
                     is there from the start; repeatable (default wire, private)
  --strict, --port N, --data FOLDER
                     as for serve (default: any port that is free)
  --timeout S        seconds for the client (default 300); then it is ended, as
                     is in the end all that it started
  --quiet            keeps back what it prints, all of which goes to standard
                     error, and shows the end of it where the verdict is a no
  --client-status    a client that ends with another status than 0 has failed;
                     otherwise only its requests count
  --expectations FILE
                     the known failures: ids are OPERATION/NUMBER
                     What the program started is ended with it, as in run
  --all, --reporter NAME[=FILE]: as for run`,
  },
  {
    verbs: ['probe'],
    text: `Which server, and how (probe):
  --keys FILE        a key pair that it knows, as for explain; else that of the
                     environment; else the published pair of serve
  --bucket NAME      a private bucket, in which files are put and deleted
                     (default: one that is made, and removed in the end)
  --file-host HOST[:PORT]
                     what follows the bucket in the host (default: the host of
                     URL, or localhost:PORT where that is an address); all
                     connections go to URL, whatever the host is
  --proxy            URL is an HTTP proxy for the stock hosts of the dialect
  --timeout S        seconds for one answer (default 5)
  --rule, --level, --operation, --dialect, --all, --reporter: as for run
                     Accepted is what is answered otherwise than with 401, 403,
                     413, 414, 431, the codes of a wrong or a missing signature,
                     or, where the form of the request is wrong, with 400. 501 is
                     unsupported; another 5xx is an error and never a refusal.`,
  },
  {
    verbs: ['vectors'],
    text: `What comes of it (vectors prove):
  --matrix FILE      writes who catches what, as JSON
  --write-smoke      writes the smoke set into the folder: smoke.yaml`,
  },
  {
    verbs: ['fuzz'],
    text: `How (fuzz):
  --runs N           requests over all operations (default 5000)
  --time S           stop after S seconds; without --runs, as many as fit
  --seed N           the same requests again (default: random, and shown)
  --path P           one request again: with its --seed and --operation
  --level advised    also requests that only advice refuses, such as a header
                     value with a line break
  --operation NAME, --dialect NAME, --wire FORM, --timeout S: as for run`,
  },
  {
    verbs: ['init'],
    text: `How (init):
  --dialect NAME     the dialect of your SDK, written into adapter.json: as for run`,
  },
  {
    verbs: ['adapter'],
    text: `How (adapter check):
  --adapter NAME, --dialect NAME, --wire FORM: as for run`,
  },
];

const EXIT_CODES = `Exit codes:
  0  all as expected; accepted; explain: rightly signed; serve: stopped by
     SIGINT, SIGTERM or SIGHUP
  1  conformance failures, expectations that are over, findings;
     explain: wrongly signed, refused or expired
  2  usage: an unknown option, a pattern that matches nothing, no vectors;
     explain: no key pair, or a text that is no signed request;
     serve: the port is taken, or the data or the log cannot be used
  3  the suite's own data, or a line of a file of answers, is invalid;
     serve --check: the folder is damaged
  4  the adapter, or the server, never worked; wire: the client could not be
     started, or sent no request that shows a signature
  5  aborted, or not everything was asked or is answered: vectors, forged
     requests, questions on fresh data; what is reported is what was known
     by then
  6  the harness failed, or a report or standard output could not be written;
     what is reported is what was known by then`;

const MORE = 'Options of a verb: svc-conformance VERB --help.';
const DOCUMENTATION = 'Documentation: README.md. Writing an adapter: adapters/PROTOCOL.md.';

/** All verbs; or one, with its options. */
export function helpOf(verb: string): string {
  const usage = Object.hasOwn(USAGES, verb) ? USAGES[verb] : undefined;
  const parts =
    usage === undefined
      ? [TITLE, Object.values(USAGES).join('\n'), EXIT_CODES, `${MORE}\n${DOCUMENTATION}`]
      : [usage, ...sectionsOf(verb), EXIT_CODES, DOCUMENTATION];
  return `${parts.join('\n\n')}\n`;
}

function sectionsOf(verb: string): readonly string[] {
  return SECTIONS.filter(({ verbs }) => verbs.includes(verb)).map(({ text }) => text);
}
