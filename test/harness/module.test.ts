import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RUNS, someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { programPath } from './program-path.ts';
import { type Ended, svcConformance, unwrapped } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

const SIGNER = programPath('signer.mjs');

const folder = folderOfFile();

/** Writes a module of these lines, and returns its path. */
function written(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  return path;
}

/** Blocks the thread without using the processor. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** Runs a module on few vectors, with short timeouts. */
async function ran(
  path: string,
  options: readonly string[] = [],
  selected: readonly string[] = ['password', 'url-encode'],
): Promise<Ended> {
  const limits = ['--start-timeout', '3', '--timeout', '1'];
  const ended = await svcConformance(['run', ...limits, ...options, '--module', path, ...selected]);
  expect(ended.stderr).toBe('');
  return ended;
}

test.concurrent('a correct module passes in every dialect, even if it is asynchronous and prints lines', async () => {
  for (const dialect of someOf(['svc', 'ucloud'], 2)) {
    const { code, stdout } = await svcConformance(`run --dialect ${dialect} --module ${SIGNER}`);
    expect(stdout).toMatch(/^signer\.mjs module \(javascript\)/m);
    expect(stdout).toMatch(/^ {2}must +\d+ pass$/m);
    expect(stdout).toMatch(/^ {2}forged +\d+ refused$/m);
    expect(code).toBe(0);
  }
});

test.concurrent('the mistake of a module is named as the cause', async () => {
  const { code, stdout } = await svcConformance(`run --module ${SIGNER} authorization`, {
    environment: { MISTAKES: 'headers-merged-by-comma-space' },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^CAUSE headers-merged-by-comma-space$/m);
});

thorough.concurrent('adapter check accepts a module', async () => {
  const { code, stdout } = await svcConformance(['adapter', 'check', '--module', SIGNER]);
  expect(stdout).toContain('the messages fit the protocol');
  expect(code).toBe(0);
});

test.concurrent('fuzz accepts a module, and the command that repeats a finding names it', async () => {
  const options = ['--seed', '1', '--runs', '60', '--operation', 'url-encode'];
  const { code, stdout } = await svcConformance(['fuzz', ...options, '--module', SIGNER], {
    environment: { MISTAKES: 'escape-space-as-plus' },
  });
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toMatch(/again: svc-conformance fuzz .* --module \S+signer\.mjs/);
  expect(stdout).not.toContain('module-adapter');
});

const RIGHT = [
  'const password = ({ text }) => Buffer.from(text).toString("base64");',
  'const escaped = (byte) => "%" + byte.toString(16).toUpperCase().padStart(2, "0");',
  'const urlEncode = ({ text }) => [...Buffer.from(text)].map((byte) =>',
  '  /[A-Za-z0-9_.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : escaped(byte)).join("");',
];

const SIGNERS: readonly (readonly [what: string, name: string, ...lines: string[]])[] = [
  ['named exports in camel case', 'named.mjs', 'export { password, urlEncode };'],
  ['a default export', 'default.mjs', 'export default { password, "url-encode": urlEncode };'],
  ['a file without package.json', 'esm.js', 'export { password, urlEncode };'],
  ['a CommonJS module', 'common.cjs', 'module.exports = { password, urlEncode };'],
  [
    'the methods of an object',
    'methods.mjs',
    'class Signer { #own = urlEncode; password(input) { return { value: password(input) }; }',
    '  urlEncode(input) { return this.#own(input); } }',
    'export default new Signer();',
  ],
  [
    'a module that leaves a timer running',
    'timer.mjs',
    'setInterval(() => {}, 1000); export { password, urlEncode };',
  ],
];

test.concurrent.each(someOf(SIGNERS, 3))('%s can be the signer', async (_, name, ...lines) => {
  const { code, stdout } = await ran(written(name, ...RIGHT, ...lines));
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^all as expected/);
  expect(code).toBe(0);
});

/** The types of Node 20 lack this property. */
const runsTypeScript = Boolean((process.features as { readonly typescript?: unknown }).typescript);

test.concurrent('a TypeScript module is run if Node supports it; otherwise the report says what it needs', async () => {
  const line = 'export const password = ({ text }: { text: string }) => btoa(text);';
  const { code, stdout } = await ran(written('typed.ts', line), ['--smoke']);
  if (runsTypeScript) expect(stdout).toMatch(/^typed\.ts module \(typescript\)$/m);
  else expect(unwrapped(stdout)).toContain('TypeScript needs Node 22.18 or later, or compile it');
  expect(code === 4).toBe(!runsTypeScript);
});

test.concurrent('an operation without a function is unsupported, and the others pass', async () => {
  const path = written('half.mjs', ...RIGHT, 'export { password };');
  const { code, stdout } = await ran(path);
  expect(stdout).toMatch(/^ {2}must +\d+ pass · \d+ unsupported$/m);
  expect(code).toBe(0);
});

const UNLOADABLE: readonly (readonly [what: string, name: string, line: string, said: string])[] = [
  ['does not parse', 'syntax.mjs', 'export default {', 'loading it failed: SyntaxError'],
  ['throws', 'throws.mjs', 'throw new TypeError("no\\nkey");', 'failed: TypeError: no key'],
  ['imports a missing module', 'lacks.mjs', 'import "./no.mjs";', 'Error: Cannot find module'],
  [
    'never settles',
    'never.mjs',
    'await new Promise(() => {});',
    'awaits a promise that never settles',
  ],
  // A loop uses all of a processor until the timeout.
  ['blocks', 'blocks.mjs', RUNS > 1 ? 'for (;;);' : BLOCK, 'it is still loading: it blocks'],
  ['exits', 'exits.mjs', 'process.exit(0);', 'process.exit(0) was called while it was loaded'],
  [
    'has no function for an operation',
    'other.mjs',
    'export const sign = () => "";',
    'has a function that is named',
  ],
  ['has an unknown file extension', 'signer.xyz', '', 'does not run such files'],
];

test.concurrent.each(someOf(UNLOADABLE, 2))(
  'a module that %s is reported as "never worked", with the reason',
  async (_, name, line, said) => {
    const { code, stdout } = await ran(written(name, line));
    expect(unwrapped(stdout)).toContain('the adapter never worked: it ');
    expect(unwrapped(stdout)).toContain(said);
    expect(code).toBe(4);
  },
);

/** Few vectors: each without an answer takes a second, and each wrong one a search for a cause. */
const POISONED = [
  'password/base64/encodes-an-empty-password-as-an-empty-text',
  'password/base64/pads-with-*',
  'url-encode/ascii',
];

const UNANSWERING: readonly (readonly [what: string, name: string, body: string, said: string])[] =
  [
    ['exits', 'q-exits.mjs', 'process.exit(3)', 'process.exit(3) was called in password'],
    ['never settles', 'q-never.mjs', 'new Promise(() => {})', 'no reply within 1 s'],
    ['blocks', 'q-blocks.mjs', `{ ${BLOCK} }`, 'no reply within 1 s'],
    ['throws', 'q-throws.mjs', '{ throw new RangeError("odd") }', 'RangeError: odd'],
    ['throws a string', 'q-text.mjs', '{ throw "odd" }', 'it threw "odd"'],
    [
      'returns nothing',
      'q-nothing.mjs',
      '{}',
      'password returned undefined; return the text value',
    ],
    ['returns a number', 'q-number.mjs', '5', 'password returned a number'],
    ['returns other members', 'q-member.mjs', '({ encoded: "" })', 'returned the member "encoded"'],
    [
      'returns a value that is not JSON',
      'q-json.mjs',
      '({ value: 5n })',
      'its return value cannot be written as JSON',
    ],
    [
      'leaves a rejection unhandled',
      'q-float.mjs',
      '(Promise.reject(new Error("odd")), new Promise(() => {}))',
      'uncaught error: Error: odd',
    ],
  ];

test.concurrent.each(someOf(UNANSWERING, 3))(
  'a function that %s is reported, and the other functions are judged',
  async (_, name, body, said) => {
    const path = written(
      name,
      ...RIGHT,
      `const odd = () => ${body};`,
      'const poisoned = (input) => (input.text === "" ? password(input) : odd());',
      'export { poisoned as password, urlEncode };',
    );
    const { code, stdout } = await ran(path, ['--no-fresh'], POISONED);
    expect(unwrapped(stdout)).toContain(said);
    expect(stdout).toMatch(/^ {2}must +\d+ pass/m);
    expect([1, 5]).toContain(code);
  },
);

testUsageErrors([
  ['run --module no/signer.js', 'is not a file; name a JavaScript module'],
  ['run --module test', '--module "test" is not a file'],
  [`run --module '${SIGNER}' -- true`, 'pass one of them'],
  [`run --module '${SIGNER}' --adapter node`, 'pass one of them'],
]);
