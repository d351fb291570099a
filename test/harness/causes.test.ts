import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { svcConformance, unwrapped } from './svc-conformance.ts';

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';
const missing =
  spawnSync(PYTHON, ['--version']).status === 0
    ? ''
    : ` (not run, because ${PYTHON} was not found)`;

function program(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

/** A vector, and two mistakes that give the same wrong answer to it. */
const RIVALS: readonly (readonly [vector: string, a: string, b: string])[] = [
  [
    'authorization/resource/keeps-a-long-key-of-1023-bytes',
    'resource-encoded',
    'resource-encoded-with-slashes',
  ],
  [
    'authorization/folding/replaces-a-fold-with-a-tab',
    'headers-names-as-written',
    'headers-names-in-title-case',
  ],
  [
    'action-signature/texts/keeps-a-plus',
    'action-text-percent-encoded',
    'action-text-uri-component-encoded',
  ],
  ['presigned-url/path/encodes-a-plus', 'signature-url-safe', 'presigned-signature-url-safe'],
  [
    'verify-presigned-url/expiry/refuses-expires-without-a-value',
    'verify-expires-as-number',
    'verify-expires-unchecked',
  ],
];

async function oneVector(vector: string, mistake: string, answers?: number): Promise<string> {
  const { code, stdout, stderr } = await svcConformance(
    ['run', '--no-fresh', vector, '--', process.execPath, program('makes-mistakes.mjs'), mistake],
    answers === undefined ? {} : { environment: { MOST_ANSWERS: `${answers}` } },
  );
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  return stdout;
}

test.concurrent.each(
  RIVALS.flatMap(([vector, a, b]) => [[a, vector] as const, [b, vector] as const]),
)('further questions leave only %s of the mistakes that fit %s', async (mistake, vector) => {
  const stdout = await oneVector(vector, mistake);
  expect([...stdout.matchAll(/^CAUSE (.*)$/gm)].map(([, line]) => line)).toEqual([mistake]);
});

test.concurrent.each(RIVALS)(
  'over %s, %s stays one of several where the adapter says no more',
  async (vector, a) => {
    // The vector, one known-good question, and for a verify operation the control of the vector.
    const stdout = await oneVector(vector, a, vector.startsWith('verify-') ? 3 : 2);
    expect(stdout).toMatch(/^CAUSE \S+ \(one of several\)$/m);
  },
);

test.concurrent('a cause is shown by the smallest vector that shows it alone', async () => {
  const { stdout } = await svcConformance([
    'run',
    'authorization',
    '--',
    process.execPath,
    program('makes-mistakes.mjs'),
    'headers-merged-by-comma-space',
  ]);
  expect(stdout).toMatch(/^1 cause explains \d+ failures$/m);
  const [, id] = /^ {2}shown by (\S+):$/m.exec(stdout) ?? [];
  expect(unwrapped(stdout)).toContain(`explains ${id}`);
  expect(stdout).toMatch(
    /^ {4}authorization differs at character \d+\n {4}expected {2}".*\n {4}actual {4}".*\n +\^$/m,
  );
});

const JAVASCRIPT = [process.execPath, program('makes-unknown-mistakes.mjs')];
const PATCHED = [PYTHON, program('patched.py')];

/** Mistakes that nobody has been seen to make: the smallest request, the difference, and what is right beside it. */
const UNKNOWN: readonly (readonly [command: readonly string[], shown: readonly string[]])[] = [
  [
    [...JAVASCRIPT, 'letter-q-doubled'],
    [
      'input {"text":"q"} encoded differs at character 2',
      'right beside it: the same with text as "Q"',
    ],
  ],
  [
    [...JAVASCRIPT, 'header-values-interleaved'],
    [
      '"headers":[["X-Svc-","lue"]]}',
      'right beside it: the same without "l" in the value of "X-Svc-"',
    ],
  ],
  [
    [...PATCHED, '"/" + bucket + "/" + key', '"/" + bucket + "/" + key[1:] + key[:1]'],
    ['"key":"ka","headers":[]} canonicalResource differs', 'the same without "k" in key'],
  ],
  [
    [...PATCHED, '[name + text for', '[name + text[1::2] + text[::2] for'],
    [
      'input {"parameters":[["PublicKey","pub-65"]]} stringToSign differs at character 10',
      'right beside it: the same without "PublicKey" in parameters',
    ],
  ],
  [
    [...PATCHED, 'string_to_sign = "".join([name', 'string_to_sign = "v1" + "".join([name'],
    ['input {"parameters":[]} stringToSign differs at character 1', 'wrong beside it as well'],
  ],
];

test.concurrent.each(UNKNOWN)(
  'what %s makes wrong is unexplained and shrunk',
  async (command, shown) => {
    if (command[0] === PYTHON && missing !== '') return;
    const { code, stdout, stderr } = await svcConformance(['run', '--', ...command]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).not.toMatch(/^CAUSE/m);
    expect(stdout).toMatch(/^no known mistake explains any of \d+ failures$/m);
    const [, block = ''] = /^UNEXPLAINED by any known mistake$([\s\S]*?)\n\n/m.exec(stdout) ?? [];
    for (const text of shown) expect(unwrapped(block)).toContain(text);
    expect(unwrapped(block)).not.toContain('not made smaller');
  },
);

test.concurrent('what stays unexplained is shown without an adapter that answers no more', async () => {
  const { code, stdout } = await svcConformance(
    ['run', '--no-fresh', 'url-encode', '--', ...JAVASCRIPT, 'letter-q-doubled'],
    { environment: { MOST_ANSWERS: '25' } },
  );
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toContain(
    'not made smaller to the end, because a further question was not answered within 2 s',
  );
});
