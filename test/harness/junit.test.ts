import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RUNS, someOf } from '../amount.ts';
import { program, watched } from './trial.ts';

const withPython = hasPython ? test.concurrent : test.skip;

const folder = folderOfFile();

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

/** A strict third-party XML parser: Python's expat. */
const READER = `
import json, sys, xml.etree.ElementTree as tree
def shown(e): return {"tag": e.tag, "attributes": e.attrib, "text": e.text or "", "children": [shown(c) for c in e]}
sys.stdout.reconfigure(encoding="utf-8")
print(json.dumps(shown(tree.parse(sys.argv[1]).getroot())))
`;

import { hasPython, PYTHON, withoutPython } from '../python.ts';
import { folderOfFile } from '../temporary-folder.ts';

function read(path: string): Element {
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', READER, path], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Element;
}

/** The test cases, after a check of the elements, attributes and counts that Jenkins requires. */
function checked(root: Element): readonly Element[] {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    testsuites: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
    testsuite: ['name', 'tests', 'failures', 'errors', 'time', 'disabled', 'skipped'],
    testcase: ['name', 'assertions', 'time', 'classname', 'status'],
    failure: ['type', 'message'],
    error: ['type', 'message'],
    skipped: ['message'],
    properties: [],
    property: ['name', 'value'],
  };
  const inside: Readonly<Record<string, readonly string[]>> = {
    testsuites: ['testsuite'],
    testsuite: ['properties', 'testcase'],
    properties: ['property'],
    testcase: ['failure', 'error', 'skipped'],
  };
  const secondsOf = ({ attributes: { time = '' } }: Element): number => {
    expect(time).toMatch(/^[0-9]+\.[0-9]{6}$/);
    return Number(time);
  };
  const visit = ({ tag, attributes, children }: Element): void => {
    expect(allowed[tag]).toEqual(expect.arrayContaining(Object.keys(attributes)));
    for (const child of children) {
      expect(inside[tag]).toContain(child.tag);
      visit(child);
    }
  };
  expect(root.tag).toBe('testsuites');
  visit(root);
  for (const suite of root.children) {
    const cases = suite.children.filter(({ tag }) => tag === 'testcase');
    const ended = (how: string): string =>
      `${cases.filter(({ children }) => children[0]?.tag === how).length}`;
    expect(suite.attributes).toMatchObject({
      tests: `${cases.length}`,
      failures: ended('failure'),
      errors: ended('error'),
      skipped: ended('skipped'),
    });
    const sum = cases.reduce((seconds, one) => seconds + secondsOf(one), 0);
    expect(Math.abs(secondsOf(suite) - sum)).toBeLessThan(1e-6 * cases.length + 1e-9);
    const names = cases.map(({ attributes }) => `${attributes['classname']} ${attributes['name']}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { children } of cases) expect(children.length).toBeLessThan(2);
  }
  return root.children.flatMap(({ children }) => children).filter(({ tag }) => tag === 'testcase');
}

let files = 0;

async function reported(...parameters: readonly string[]) {
  const path = join(folder, `${++files}.xml`);
  const { code } = await watched(['run', '--reporter', `junit=${path}`, ...parameters]);
  return { code, cases: checked(read(path)), xml: readFileSync(path, 'utf8') };
}

function caseOf(cases: readonly Element[], name: string): Element | undefined {
  return cases.find(({ attributes }) => attributes['name'] === name);
}

const SMALL = ['--vectors', 'test/harness/vectors'];
const POISON = 'url-encode/words/poison';

withPython(`a correct adapter has an empty test case for each vector${withoutPython}`, async () => {
  const { code, cases } = await reported(...SMALL, '--', ...program('is-right', '64'));
  expect(code).toBe(0);
  expect(cases).toHaveLength(12);
  expect(cases.every(({ children }) => children.length === 0)).toBe(true);
  expect(caseOf(cases, POISON)?.attributes).toEqual({
    classname: 'url-encode/words',
    name: POISON,
    time: expect.stringMatching(/^0\.[0-9]{6}$/),
  });
});

withPython(`a failure contains its cause and the difference${withoutPython}`, async () => {
  const command = program('makes-mistakes', 'folds-kept');
  const { code, cases } = await reported('authorization/folding', '--', ...command);
  expect(code).toBe(1);
  const [failure] =
    caseOf(cases, 'authorization/folding/replaces-a-fold-with-a-tab')?.children ?? [];
  expect(failure).toMatchObject({ tag: 'failure', attributes: { type: 'fail' } });
  expect(failure?.attributes['message']).toMatch(/^folds-kept: a folded value is signed with/);
  expect(failure?.text).toMatch(/^folds-kept: [\s\S]*\nexpected +"Svc [\s\S]*\nactual +"Svc /);
});

withPython.each(
  someOf(
    [
      ['crashes-over-poison', 'crashed', [], 1],
      ['hangs-over-poison', 'timeout', ['--timeout', '1'], 1],
    ] as const,
    2,
  ),
)(
  `a program that %s is reported as an error${withoutPython}`,
  async (name, type, options, exitCode) => {
    const { code, cases } = await reported(...SMALL, ...options, '--', ...program(name));
    expect(code).toBe(exitCode);
    const poison = caseOf(cases, POISON);
    expect(poison?.children).toMatchObject([{ tag: 'error', attributes: { type } }]);
    // A timeout of one second takes one second at least.
    if (type === 'timeout') expect(Number(poison?.attributes['time'])).toBeGreaterThan(0.9);
  },
);

withPython(`unsupported and open vectors are skipped${withoutPython}`, async () => {
  const unsupported = await reported(...SMALL, '--', ...program('offers-url-encode'));
  expect(unsupported.code).toBe(0);
  const ends = unsupported.cases.flatMap(({ children }) => children);
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) {
    expect(end).toMatchObject({ tag: 'skipped', attributes: { message: 'unsupported' } });
  }
  const open = await reported('--level', 'open', '--', ...program('makes-mistakes'));
  expect(open.code).toBe(0);
  for (const { children } of open.cases) {
    expect(children[0]?.attributes['message']).toMatch(/^open: ./);
  }
});

withPython(`an adapter that never worked is reported as one error${withoutPython}`, async () => {
  const { code, cases } = await reported(...SMALL, '--', ...program('crashes-before-hello'));
  expect(code).toBe(4);
  expect(cases).toMatchObject([{ children: [{ tag: 'error' }] }]);
});

(RUNS > 1 ? withPython : test.skip)(
  `an accepted forged request is reported as a failure${withoutPython}`,
  async () => {
    const command = program(
      'shares-a-mistake',
      'verify-authorization',
      'blanks-trimmed-after-merging',
    );
    const { cases } = await reported('--', ...command);
    const accepted = cases.filter(({ attributes, children }) => {
      return attributes['classname'] === 'verify-authorization/forged' && children.length > 0;
    });
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted[0]?.children[0]?.attributes['message']).toMatch(
      /^blanks-trimmed-after-merging: /,
    );
    expect(accepted[0]?.children[0]?.text).toContain(
      'verify-authorization accepts a request signed with blanks-trimmed-after-merging',
    );
  },
);

withPython(`known failures are skipped, and stale entries fail${withoutPython}`, async () => {
  const path = join(folder, 'known.yaml');
  const entry = (glob: string): string =>
    `  - { vectors: ${glob}, status: crashed, reason: "Known & <so>." }\n`;
  writeFileSync(path, `expectations:\n${entry(POISON)}${entry('url-encode/no/such')}`);
  const command = program('crashes-over-poison');
  const { code, cases } = await reported(...SMALL, '--expectations', path, '--', ...command);
  expect(code).toBe(1);
  expect(caseOf(cases, POISON)?.children).toMatchObject([
    { tag: 'skipped', attributes: { message: 'known failure: Known & <so>.' } },
  ]);
  expect(cases.find(({ attributes }) => attributes['classname'] === 'expectations')).toMatchObject({
    children: [{ tag: 'failure', attributes: { type: 'stale' } }],
  });
});

withPython(`an unpaired surrogate is escaped${withoutPython}`, async () => {
  const { xml } = await reported(...SMALL, 'url-encode', '--', ...program('answers-half-a-pair'));
  expect(xml).toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
});

withPython.each(someOf(['answer', 'error', 'refusal', 'unknown member', 'hello'], 4))(
  `control characters are escaped: %s${withoutPython}`,
  async (where) => {
    const forger = await reported(...SMALL, '--', ...program('forges-a-report', '1', where));

    expect(forger.xml).toContain('\\u001b[2J');
    expect(forger.xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  },
);

withPython(`every adapter is a test suite of its own${withoutPython}`, async () => {
  const { xml } = await reported('--adapter', 'reference', '--adapter', 'python', 'password');
  expect(xml.match(/<testsuite /g)).toHaveLength(2);
});
