import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { someOf } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { ALL_PASS, NEVER_WORKED, poisoned, program, trial } from './trial.ts';

const folder = folderOfFile();

test.concurrent.each(someOf(['1', '64'], 2))(
  'a grandchild process that keeps the output open does not outlive its question, window %s',
  async (window) => {
    const { result, record } = await trial(program('leaves-a-grandchild', window));
    expect(result).toEqual(poisoned('crashed'));
    expect(record.length).toBeGreaterThan(2);
  },
);

test.concurrent('a grandchild process does not outlive the run', async () => {
  const { result, record } = await trial(program('has-a-grandchild', '64'));
  expect(result).toEqual(ALL_PASS);
  expect(record).toHaveLength(2);
});

test.concurrent('an adapter that ignores the end of its input and signals is killed', async () => {
  const { result, record } = await trial(program('refuses-to-end', '64'));
  expect(result).toEqual(ALL_PASS);
  expect(record).toContain('hangs');
});

test.concurrent.each([
  ['that does not exist', 'no-such-program', '"no-such-program" was not found'],
  ['that is a folder', folder, `${JSON.stringify(folder)} is not executable`],
  [
    'whose path leads through a file',
    'package.json/adapter',
    '"package.json/adapter" could not be started: it is not a folder',
  ],
  ['that is empty', '', 'the name of its program is empty'],
])('a command %s is reported as "never worked"', async (_, command, fault) => {
  const { result, report } = await trial([command]);
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain(`the adapter never worked: ${fault}`);
});

// Windows has neither executable permissions nor these programs.
const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix('a file that is not executable is reported as "never worked"', async () => {
  const file = join(folder, 'adapter');
  writeFileSync(file, '#!/usr/bin/env node\n');
  chmodSync(file, 0o644);
  const { result, report } = await trial([file]);
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('is not executable; name a program, make the file executable');
});

posix.each([
  ['false', 'it exited with status 1 before it replied to hello'],
  ['cat', 'its reply to hello is malformed'],
  ['yes', 'lines that are not a reply to hello, the last one: "y"'],
  ['sleep 600', 'it did not reply to hello within 1 s'],
])('`%s` as an adapter is reported as "never worked"', async (command, fault) => {
  // The shell records its process id, which the program keeps after exec.
  const recorded = ['sh', '-c', `echo $$ >> "$RECORD"; exec ${command}`];
  const { result, report, record } = await trial(recorded, ['--start-timeout', '1']);
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain(fault);
  expect(record).toHaveLength(1);
});

// Only Linux shows the environment of a process.
const linux = process.platform === 'linux' ? test.concurrent : test.skip;

linux('a process that left the process group of the adapter does not outlive the run', async () => {
  const { result, record } = await trial(program('leaves-its-group', '64'));
  expect(result).toEqual(ALL_PASS);
  expect(record.length).toBeGreaterThan(1);
});
