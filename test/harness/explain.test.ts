import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { ROOT } from '../root.ts';
import { folderOfFile } from '../temporary-folder.ts';
import {
  type CallCircumstances,
  runProgram,
  svcConformance,
  unwrapped,
  wordsOf,
} from './svc-conformance.ts';
import { expectUsageError } from './usage-errors.ts';

const CAPTURED = join(ROOT, 'test', 'harness', 'captured');

const EXAMPLE = { SVC_PUBLIC_KEY: 'pub-example', SVC_PRIVATE_KEY: 'priv-example' };
const VENDOR = {
  SVC_PUBLIC_KEY: 'ucloudsomeone@example.com1296235120854146120',
  SVC_PRIVATE_KEY: '46f09bb9fab4f12dfc160dae12273d5332b5debe',
};

/** Before any of the captured URLs expires. */
const NOW = ['--now', '1790000000'];

type Keys = Readonly<Partial<Record<keyof typeof EXAMPLE, string>>>;

const circumstances = (stdin: string, keys: Keys): CallCircumstances => ({
  stdin,
  // An empty variable counts as not set.
  environment: { SVC_PUBLIC_KEY: '', SVC_PRIVATE_KEY: '', ...keys },
});

/** Runs the command line. */
async function explain(parameters: readonly string[], input = '', keys: Keys = EXAMPLE) {
  const ended = await svcConformance(['explain', ...parameters], circumstances(input, keys));
  return { ...ended, said: unwrapped(ended.stdout) };
}

function keysOf(name: string): typeof EXAMPLE {
  return name.startsWith('u') ? VENDOR : EXAMPLE;
}

function explainCaptured(name: string, options: readonly string[] = NOW) {
  return explain([...options, join(CAPTURED, `${name}.txt`)], '', keysOf(name));
}

const folder = folderOfFile();

function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const RIGHT: readonly (readonly [name: string, lines: readonly string[]])[] = [
  [
    'curl-put',
    [
      'line 3 Content-Type "text/plain" header Content-Type',
      'line 4 Date "" no header Date',
      'line 5 extra header "x-svc-bar:1,2" header X-Svc-Bar, 2 times, merged',
      'key: path /a%20b.txt, decoded',
    ],
  ],
  ['curl-put-policy', ['line 5 resource "/demo/a.txt"', 'policy "eyJjYWxsYmFja1VybCI6']],
  ['curl-uploadhit', ['"/demo/notes/a b.txt"', 'key: query parameter FileName']],
  ['curl-presigned-get', ['line 4 Expires "1800000000" query parameter Expires', '%3D in the URL']],
  ['presigned-put-url', ['line 1 verb "PUT" the URL alone does not say it']],
  ['curl-form', ['"text/plain" form field Content-Type', 'key: form field FileName']],
  ['curl-create-bucket', ['part 2 BucketName "BucketNamedemo" query parameter BucketName']],
  ['curl-json', ['part 4 Disks.1.Size "Disks.1.Size40" member Disks, flattened']],
  ['ufile-putfile', ['scheme UCloud', '"/demo/notes/über uns.txt"']],
  ['ufile-postfile', ['"text/plain" Content-Type of the file part']],
  ['ufile-deletefile', ['line 1 verb "DELETE" request line']],
  ['ufile-private-download-url', ['note: the signature is not encoded in the URL']],
  ['ufile-gosdk-uploadhit', ['"/demo/at once.txt"', 'key: query parameter FileName']],
  ['ufile-describe-bucket', ['part 6 private key "…<private key>" the key pair']],
  ['ucloud-sdk-describe-image', ['part 5 Name "Namea b" form parameter Name']],
];

function hmac(text: string, privateKey = EXAMPLE.SVC_PRIVATE_KEY): string {
  return createHmac('sha1', privateKey).update(text).digest('base64');
}

const hex = (text: string): string => createHash('sha1').update(text).digest('hex');

const sha1 = (text: string): string => hex(`${text}priv-example`);

const getFile = (...headers: readonly string[]): string =>
  `GET /k HTTP/1.1\nHost: demo.b.c\n${headers.join('\n')}\n\n`;

const getAction = (query: string): string => `GET /?${query} HTTP/1.1\nHost: api.example\n\n`;

/** The texts in quotes of the numbered lines. */
function shownTexts(stdout: string): readonly string[] {
  const rows = stdout.split('\n').filter((line) => /^ {2}(?:line|part) |^ {10}/.test(line));
  return rows.flatMap((line) => {
    const text = /"(?:[^"\\]|\\.)*"/.exec(line)?.[0];
    return text === undefined ? [] : [JSON.parse(text) as string];
  });
}

test.concurrent.each(RIGHT)(
  '%s is reported as correctly signed, with the lines that the signature covers',
  async (name, lines) => {
    const { code, said, stdout, stderr } = await explainCaptured(name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(said).toMatch(/ correctly signed: /);
    expect(said).not.toContain(keysOf(name).SVC_PRIVATE_KEY);
    for (const line of lines) expect(said).toContain(line);
    const { SVC_PRIVATE_KEY: privateKey } = keysOf(name);
    const texts = shownTexts(stdout);
    const isAction = stdout.includes('  part 1');
    const text = isAction
      ? `${texts.slice(0, -1).join('')}${privateKey}`
      : `${texts.slice(0, 4).join('\n')}\n${texts
          .slice(4)
          .map((one) => (one.startsWith('x-') ? `${one}\n` : one))
          .join('')}`;
    const signature = isAction ? hex(text) : hmac(text, privateKey);
    expect(stdout).toContain(`  expected  ${signature}\n`);
    expect(stdout).toContain(`  sent      ${signature}\n`);
  },
);

const WRONG: readonly (readonly [name: string, lines: readonly string[]])[] = [
  [
    'curl-put-unsorted',
    [
      'wrongly signed: extra headers stay in the order of the request',
      'mistake headers-as-in-the-worked-example',
      'fix sort extra headers by their names in lower case',
      'rule 5.2/headers-sorted (must): Extra headers are sorted by lower-case name',
      String.raw`signed instead "PUT\n\ntext/plain\n\nx-svc-foo:f\nx-svc-bar:1,2\n/demo/a b.txt"`,
    ],
  ],
  [
    'curl-put-two-mistakes',
    ['headers-as-in-the-worked-example', '; and repeated headers are joined with ", "'],
  ],
  ['curl-delete-url-safe', ['mistake signature-url-safe', 'rule 5.2/standard-base64 (must)']],
  ['curl-get-encoded-key', ['mistake resource-encoded', 'rule 5.2/resource-raw (observed)']],
  [
    'curl-get-no-scheme',
    ['expected Svc pub-example:', 'sent pub-example:', 'mistake authorization-without-scheme'],
  ],
  [
    'curl-post-type-added',
    [
      'signed without the header Content-Type, but it is sent with "application/x-www-form-urlencoded"',
      'rule 5.2/positional-values (must)',
    ],
  ],
  [
    'curl-presigned-type-signed',
    ['mistake presigned-type-in-position', 'rule 5.4/empty-positions (must)'],
  ],
  [
    'curl-create-instance-ignoring-case',
    ['mistake parameters-sorted-ignoring-case', 'rule 5.1/sort-bytes (must)', '…<private key>"'],
  ],
  ['curl-json-encoded', ['mistake action-text-percent-encoded', 'rule 5.1/unescaped (must)']],
  ['curl-form-no-type-signed', [String.raw`signed instead "POST\n\n\n\n/demo/a.txt"`]],
  [
    'ufile-listobjects',
    ['the parameters of the listing are signed after the resource, as the SDKs for Python'],
  ],
  [
    'ufile-gosdk-put-escape',
    [
      'the key was signed with the escapes of the path: the signed resource is "/demo/a%41.txt"',
      'sign the resource "/demo/aA.txt"',
    ],
  ],
  [
    'curl-get-other-key',
    ['no known mistake explains it', 'possible causes are another private key'],
  ],
];

test.concurrent.each(someOf(WRONG, 5))(
  '%s is reported as wrongly signed, with the reason',
  async (name, lines) => {
    const { code, said, stderr } = await explainCaptured(name);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(said).toContain('wrongly signed: ');
    expect(said).not.toContain(keysOf(name).SVC_PRIVATE_KEY);
    for (const line of lines) expect(said).toContain(line);
  },
);

test('every captured request is used', () => {
  const names = [...RIGHT, ...WRONG].map(([name]) => `${name}.txt`);
  const files = readdirSync(CAPTURED).filter((name) => name.endsWith('.txt'));
  expect(files.sort()).toEqual([...names, 'curl-json-without-body.txt'].sort());
});

function captured(name: string): string {
  return readFileSync(join(CAPTURED, `${name}.txt`), 'utf8');
}

test.concurrent.each(
  someOf(
    [
      ['header X-Added', 'ufile-deletefile', 'Accept: */*', 'X-UCloud-Added: 1'],
      ['verb', 'ufile-deletefile', 'DELETE http', 'PUT http'],
      ['type', 'ufile-putfile', 'text/plain', 'text/html'],
      ['parameter', 'ufile-describe-bucket', 'Offset=0', 'Offset=1'],
      ['key', 'ufile-postfile', '\r\nnote.txt\r\n', '\r\nnotes.txt\r\n'],
    ],
    5,
  ),
)('an SDK request whose %s was altered is wrongly signed', async (_, name, from, to) => {
  const text = captured(name);
  expect(text).toContain(from);
  const { code, said } = await explain([], text.replace(from, to), VENDOR);
  expect(code).toBe(1);
  expect(said).toContain('wrongly signed: ');
});

test.concurrent('an SDK request sent with another method is reported with the method that was signed', async () => {
  const text = captured('ufile-deletefile').replace('DELETE http', 'PUT http');
  const { said } = await explain([], text, VENDOR);
  expect(said).toContain('the request was signed as DELETE, but it is sent as PUT');
  expect(said).toContain('page `svc-conformance docs verb-of-another-request`');
});

test.concurrent.each([
  ['LF only', (text: string) => text.replaceAll('\r\n', '\n')],
  ['blank lines before it', (text: string) => `\n\n${text}`],
  ['a byte order mark', (text: string) => `\ufeff${text}`],
])('a pasted request with %s is read', async (_, pasted) => {
  const { code } = await explain([], pasted(captured('curl-form')));
  expect(code).toBe(0);
});

test.concurrent('a request in UTF-16, as PowerShell writes it, is read', async () => {
  const path = file('utf-16.txt', Buffer.from(`\ufeff${captured('curl-put')}`, 'utf16le'));
  expect((await explain([path])).code).toBe(0);
});

test.concurrent('the body may follow the request in the output of curl -v', async () => {
  const body = captured('curl-json').split('\r\n\r\n')[1] ?? '';
  const text = captured('curl-json-without-body').replace('\n> \n', `\n> \n${body}\n`);
  expect((await explain([], text)).code).toBe(0);
});

test.concurrent('a folded header is unfolded', async () => {
  const signature = hmac('PUT\n\n\n\nx-svc-foo:a b\n/demo/k');
  const { code, said } = await explain(
    [],
    `PUT /k HTTP/1.1\r\nHost: demo.b.c\r\nX-Svc-Foo: a\r\n  b\r\nAuthorization: Svc pub-example:${signature}\r\n\r\n`,
  );
  expect({ code }).toEqual({ code: 0 });
  expect(said).toContain('"x-svc-foo:a b" header X-Svc-Foo, unfolded');
});

test.concurrent('a URL may be given on the command line', async () => {
  const { code } = await explain([...NOW, captured('presigned-put-url').trim()]);
  expect(code).toBe(0);
});

test.concurrent('an expired URL is distinguished from a wrongly signed one', async () => {
  const { code, said } = await explainCaptured('curl-presigned-get', ['--now', '1800000001']);
  expect(code).toBe(1);
  expect(said).toContain('expired: the signature is correct, but the URL expired at 1800000000');
  expect((await explainCaptured('curl-presigned-get', ['--now', '1800000000'])).code).toBe(0);
});

test.concurrent('a key pair of another account is reported', async () => {
  const keys = { ...EXAMPLE, SVC_PUBLIC_KEY: 'another' };
  const { code, said } = await explain([], captured('curl-put'), keys);
  expect(code).toBe(1);
  expect(said).toContain(
    'names the public key "pub-example", but the given key pair belongs to a different account',
  );
});

test.concurrent('a request for which no signature is correct is reported with the reason', async () => {
  const text = captured('curl-put').replace('> Content-Type: text/plain', '$&\n$&');
  const { code, said } = await explain([], text);
  expect(code).toBe(1);
  expect(said).toContain('no signature is correct: header Content-Type appears 2 times');
});

test.concurrent('the bucket comes from the host, or from --bucket', async () => {
  const at = (host: string) =>
    captured('ufile-deletefile').replaceAll('demo.cn-bj.ufileos.com', host);
  const code = async (host: string, ...options: readonly string[]) =>
    (await explain(options, at(host), VENDOR)).code;
  expect(await code('127.0.0.1:8080', '--bucket', 'demo')).toBe(0);
  expect(await code('demo.localhost:8080')).toBe(0);
  expect(await code('demo.x.example', '--file-host', 'x.example')).toBe(0);
  expect(await code('demo.x.example', '--file-host', '.x.example')).toBe(0);
  expect(await code('other.x.example')).toBe(1);
});

test.concurrent('--dialect selects another dialect', async () => {
  const text = captured('curl-put').replaceAll('Svc', 'Acme');
  expect((await explain([], text)).code).toBe(2);
  const options = ['--dialect', 'Acme,X-Acme-,AcmePublicKey'];
  const signature = hmac('PUT\n\ntext/plain\n\nx-acme-bar:1,2\nx-acme-foo:f\n/demo/a b.txt');
  const right = text.replace(/pub-example:\S+/, `pub-example:${signature}`);
  expect((await explain(options, right)).code).toBe(0);
});

test.concurrent.each([
  ['yaml', 'publicKey: pub-example\nprivateKey: priv-example\n'],
  ['json', '{ "publicKey": "pub-example", "privateKey": "priv-example" }'],
  ['lines', '# mine\npublicKey=pub-example\nprivateKey = priv-example\n'],
  ['env', 'export SVC_PUBLIC_KEY="pub-example"\nexport SVC_PRIVATE_KEY="priv-example"\n'],
])('keys are read from a file of the form %s', async (form, text) => {
  const { code } = await explain(['--keys', file(`keys.${form}`, text)], captured('curl-put'), {});
  expect(code).toBe(0);
});

test.concurrent('a private key of digits is read as a string', async () => {
  const path = file('digits.yaml', 'publicKey: pub-example\nprivateKey: 0012\n');
  const signature = hmac('GET\n\n\n\n/demo/k', '0012');
  const request = getFile(`Authorization: Svc pub-example:${signature}`);
  expect((await explain(['--keys', path], request, {})).code).toBe(0);
});

const signedAs = (scheme: string, publicKey: string, text: string): string =>
  `Authorization: ${scheme} ${publicKey}:${hmac(text)}`;

/** Each dialect with a public key that contains the scheme of the other one. */
test.concurrent.each([
  ['UCloud', 'X-UCloud-', 'svc-team@svc.example'],
  ['Svc', 'X-Svc-', 'ucloud-team@ucloud.example'],
])(
  '§5.2: the scheme decides that the dialect is %s, whatever the public key contains',
  async (scheme, prefix, publicKey) => {
    const text = `GET\n\n\n\n${prefix.toLowerCase()}a:1\n/demo/k`;
    const request = getFile(`${prefix}A: 1`, signedAs(scheme, publicKey, text));
    const keys = { ...EXAMPLE, SVC_PUBLIC_KEY: publicKey };
    const { code, said } = await explain([], request, keys);
    expect({ code }).toEqual({ code: 0 });
    expect(said).toContain(`scheme ${scheme}:`);
  },
);

test.concurrent('§5.2: without a scheme, the header prefix decides the dialect, not the public key', async () => {
  const publicKey = 'svc-team';
  const signature = hmac('GET\n\n\n\nx-ucloud-a:1\n/demo/k');
  const request = getFile('X-UCloud-A: 1', `Authorization: ${publicKey}:${signature}`);
  const { code, said } = await explain([], request, { ...EXAMPLE, SVC_PUBLIC_KEY: publicKey });
  expect(code).toBe(1);
  expect(said).toContain('scheme UCloud:');
  expect(said).toContain('wrongly signed: the Authorization header has no scheme');
});

test.concurrent('§5.2: an unknown scheme is refused, even if the public key contains "svc"', async () => {
  const request = getFile('Authorization: AWS svc-team:x');
  await expectRefused([], request, 'Authorization starts with "AWS"');
});

const WITHOUT_ACTION = sha1('BucketNamedemoPublicKeypub-example');

const NO_ACTION = ['parameter Action is missing', '4.2/action-required (must)'] as const;

test.concurrent.each([
  [
    'a query without Action',
    getAction(`BucketName=demo&PublicKey=pub-example&Signature=${WITHOUT_ACTION}`),
    ...NO_ACTION,
  ],
  [
    'a HEAD without Action',
    `HEAD /?BucketName=demo&PublicKey=pub-example&Signature=${WITHOUT_ACTION} HTTP/1.1\nHost: api.example\nContent-Type: application/json\n\n`,
    ...NO_ACTION,
  ],
  [
    'a JSON body without Action',
    `POST / HTTP/1.1\nHost: api.example\n\n{"BucketName":"demo","PublicKey":"pub-example","Signature":"${WITHOUT_ACTION}"}`,
    ...NO_ACTION,
  ],
  [
    'a form without Action',
    `POST / HTTP/1.1\nHost: api.example\n\nBucketName=demo&PublicKey=pub-example&Signature=${WITHOUT_ACTION}`,
    ...NO_ACTION,
  ],
  [
    'a query with an Expires of its own and without Action',
    getAction(`Expires=1&PublicKey=pub-example&Signature=${sha1('Expires1PublicKeypub-example')}`),
    ...NO_ACTION,
  ],
  [
    'a JSON body without PublicKey',
    `POST / HTTP/1.1\nHost: api.example\n\n{"Action":"X","Signature":"${sha1('ActionX')}"}`,
    'parameter PublicKey is missing',
    '4.2/public-key-required (must)',
  ],
  [
    'an ACTION in upper case',
    getAction(`ACTION=X&PublicKey=pub-example&Signature=${sha1('ACTIONXPublicKeypub-example')}`),
    'parameter Action is missing',
    'note: the parameter "ACTION" is not Action',
  ],
  [
    'two signatures',
    getAction(
      `Action=X&PublicKey=pub-example&Signature=${sha1('ActionXPublicKeypub-example')}&Signature=x`,
    ),
    'parameter Signature appears 2 times',
    '5.1/repeated-name (open)',
  ],
  [
    'a header beside the signature of a URL',
    `GET /k?SvcPublicKey=p&Expires=1&Signature=x HTTP/1.1\nHost: demo.b.c\n${signedAs('Svc', 'pub-example', 'GET\n\n\n\n/demo/k')}\n\n`,
    'the request has a header Authorization (§5.2) and a signature in its query (§5.4)',
    'note: the query seems to contain a signature too',
  ],
])(
  '§5: %s with a correct signature is reported as refused, not as wrongly signed',
  async (_, request, fault, more) => {
    const { code, said } = await explain([], request);
    expect({ code }).toEqual({ code: 1 });
    expect(said).toContain(`refused: the signature is correct, but ${fault}`);
    expect(said).toContain(more);
    expect(said).not.toContain('wrongly signed');
  },
);

test.concurrent.each([
  ['beside a foreign scheme', 'Authorization: Bearer abc\n'],
  ['of a HEAD', ''],
  ['that says it is JSON', 'Content-Type: application/json\n'],
  ['that says it is a form', 'Content-Type: multipart/form-data; boundary=b\n'],
])('§5.1: an action %s is recognized as an action', async (what, header) => {
  const method = what === 'of a HEAD' ? 'HEAD' : 'GET';
  const query = `Action=X&Expires=9&PublicKey=pub-example&Signature=${sha1('ActionXExpires9PublicKeypub-example')}`;
  const { code, said } = await explain(
    [],
    `${method} /?${query} HTTP/1.1\nHost: api.example\n${header}\n`,
  );
  expect({ code }).toEqual({ code: 0 });
  expect(said).toContain('correctly signed: action or bucket management request');
});

test.concurrent('§5.4: a pre-signed URL with a parameter Action is recognized as a pre-signed URL', async () => {
  const signature = encodeURIComponent(hmac('GET\n\n\n1800000000\n/demo/k'));
  const query = `SvcPublicKey=pub-example&Expires=1800000000&Signature=${signature}&Action=view`;
  const { code, said } = await explain(NOW, `GET /k?${query} HTTP/1.1\nHost: demo.b.c\n\n`);
  expect({ code }).toEqual({ code: 0 });
  expect(said).toContain('correctly signed: pre-signed URL');
});

test.concurrent('an unsigned upload of JSON is not treated as an action', async () => {
  const request = 'PUT /k HTTP/1.1\nHost: demo.b.c\n\n{"a":1}';
  await expectRefused([], request, 'PUT "/k" shows no signature');
});

const ACTION = 'https://api.example/?Action=X&PublicKey=pub-example&Signature=';

test.concurrent('a mistake in the place of the private key is reported without the key', async () => {
  for (const [text, shown] of [
    ['priv-exampleActionXPublicKeypub-example', '"…<private key>ActionXPublicKeypub-example"'],
    ['ActionXPublicKeypub-example&priv-example', '"ActionXPublicKeypub-example&…<private key>"'],
  ] as const) {
    const { code, stdout, said } = await explain([], `${ACTION}${hex(text)}\n`);
    expect(code).toBe(1);
    expect(said).toContain(`signed instead ${shown}`);
    expect(stdout).not.toContain('priv-example');
  }
});

const PLACES: readonly (readonly [where: string, text: string])[] = [
  ['in a path', getFile('Authorization: Svc pub-example:x').replace('/k', '/priv-example')],
  ['in a header', getFile('X-Svc-K: priv-example', 'Authorization: Svc a:x')],
  ['as the account', getFile('Authorization: Svc priv-example:x')],
  ['as the signature', getFile('Authorization: Svc a:priv-example')],
  ['in Base64', getFile('Authorization: Svc a:cHJpdi1leGFtcGxl')],
  ['as a parameter', `${ACTION}x&PrivateKey=priv-example\n`],
  ['in a malformed header line', 'GET /k HTTP/1.1\npriv-example\n\n'],
  ['in a text that is not a request', 'priv-example is my key\n'],
  ['in a scheme', getFile('Authorization: priv-example a:x')],
  ['in a host', getFile('Authorization: Svc a:x').replace('demo.b.c', 'priv-example')],
  [
    'beside an unpaired surrogate',
    'POST / HTTP/1.1\nHost: d.e.f\n\n{"Action":"\\ud800","PublicKey":"a","Signature":"x"}',
  ],
];

test.concurrent.each(someOf(PLACES, 3))(
  'a private key %s of the request is not shown',
  async (_, request) => {
    const { code, stdout, stderr } = await explain([], request);
    expect([1, 2]).toContain(code);
    expect(stdout + stderr).not.toMatch(/priv-example|cHJpdi1leGFtcGxl/);
    expect(stderr).not.toContain('    at ');
  },
);

test.concurrent('a long line is not cut within a private key', async () => {
  const { stderr } = await explain([], `${'-'.repeat(55)}priv-example\n`);
  expect(stderr).toContain('the text starts with');
  expect(stderr).not.toContain('priv-');
});

test.concurrent('the stack of an unexpected error does not show the private key', async () => {
  const broken = 'JSON.parse = () => { throw new Error("no priv-example") }';
  const { code, stderr } = await runProgram(['explain', join(CAPTURED, 'curl-put.txt')], {
    environment: {
      ...EXAMPLE,
      SVC_DEBUG: '1',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}`,
    },
  });
  expect(code).toBe(6);
  expect(stderr).toContain('internal error: Error: no <private key>');
  expect(stderr).toContain('    at ');
  expect(stderr.replace(/data:\S+/g, '')).not.toContain('priv-example');
});

test.concurrent('a private key with spaces and percent-encoded characters is not shown', async () => {
  const keys = { SVC_PUBLIC_KEY: 'pub-example', SVC_PRIVATE_KEY: 'two words "quoted" ü' };
  const url = `https://api.example/?Action=${encodeURIComponent(keys.SVC_PRIVATE_KEY)}&PublicKey=p&Signature=x`;
  const { stdout } = await explain([], `${url}\n`, keys);
  expect(stdout).toContain('<private key>');
  expect(stdout).not.toMatch(/words|quoted|ü/);
});

async function expectRefused(
  parameters: readonly string[],
  input: string,
  fault: string,
  keys: Keys = EXAMPLE,
): Promise<void> {
  const stderr = await expectUsageError(
    ['explain', ...parameters],
    fault,
    circumstances(input, keys),
  );
  expect(stderr).not.toContain('priv-example');
}

test.concurrent.each<readonly [what: string, input: string, fault: string]>([
  [
    'an empty input',
    '',
    'the input is empty; a request is its HTTP text, the output of curl -v, or',
  ],
  ['prose', 'hello there\n', 'the text starts with "hello there"; a request is'],
  ['a response', 'HTTP/1.1 403 Forbidden\n\n', 'the input is a response, "HTTP/1.1 403 Forbidden"'],
  ['no signature', 'GET /k HTTP/1.1\nHost: a.b\n\n', 'GET "/k" shows no signature'],
  ['a malformed header', 'GET /k HTTP/1.1\nHost a.b\n\n', 'the line "Host a.b" is not a header'],
  ['a malformed escape', `${ACTION}%zz`, 'has an escape that is not UTF-8'],
  [
    'no bucket',
    'GET /k HTTP/1.1\nHost: 127.0.0.1:80\nAuthorization: Svc a:x\n\n',
    'names no bucket; §4.3 has it as <bucket>.<file host>; pass --bucket NAME',
  ],
  [
    'an unknown scheme',
    getFile('Authorization: AWS a:x'),
    'Authorization starts with "AWS", which is no known scheme',
  ],
  ['a missing body', captured('curl-json-without-body'), 'curl -v does not show it'],
  [
    'two requests',
    '> GET /a HTTP/1.1\n> Host: a.b\n> \n< HTTP/1.1 200 OK\n> GET /b HTTP/1.1\n> \n',
    'the output of curl -v contains 2 requests',
  ],
])('%s is a usage error of one line', async (_, input, fault) => {
  await expectRefused([], input, fault);
});

test.concurrent.each<readonly [line: string, input: string, fault: string]>([
  [
    '--file-host x.y',
    getFile('Authorization: Svc a:x'),
    'the host "demo.b.c" is not a bucket and ".x.y"',
  ],
  ['no/such', '', 'the file "no/such" cannot be read: there is no such file or folder'],
  ['a priv-example', '', 'explain takes one FILE'],
  ['--private-key=priv-example', '', '--private-key is not an option'],
  ['--now soon', ACTION, '--now "soon" is not a count of Unix seconds'],
  ['--dialect aws', ACTION, '"aws" is not a dialect'],
  ['--keys priv-example', ACTION, 'the file that --keys names cannot'],
])('explain %s is a usage error of one line', async (line, input, fault) => {
  await expectRefused(wordsOf(line), input, fault);
});

test.concurrent.each<readonly [missing: string, keys: Keys]>([
  ['SVC_PUBLIC_KEY and SVC_PRIVATE_KEY are', {}],
  ['SVC_PRIVATE_KEY is', { SVC_PUBLIC_KEY: 'a' }],
  ['SVC_PUBLIC_KEY is', { SVC_PRIVATE_KEY: 'priv-example' }],
])('without keys, the error says that %s not set', async (missing, keys) => {
  await expectRefused([], ACTION, `${missing} not set in the environment`, keys);
});

test.concurrent.each([
  ['is no YAML', 'publicKey: a\nprivateKey: [priv-example\n', 'is neither YAML nor JSON'],
  ['lacks a key', 'publicKey: a\nprivate: priv-example\n', 'has no privateKey that is a text'],
  ['has a list', 'publicKey: a\nprivateKey: [priv-example]\n', 'has no privateKey that is a text'],
  ['is a text', 'priv-example\n', 'has no publicKey that is a text'],
  ['is empty', '', 'has no publicKey that is a text'],
])('the error about a file of keys that %s does not quote the file', async (what, text, fault) => {
  const path = file(`bad ${what}.txt`, text);
  await expectRefused(['--keys', path], ACTION, fault, {});
});
