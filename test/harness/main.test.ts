import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../temporary-folder.ts';
import { svcConformance } from './svc-conformance.ts';
import { ALL_PASS, NEVER_WORKED, program, trial } from './trial.ts';

const folder = folderOfFile();

const SHOW = ['show', 'url-encode/ascii/keeps-letters-and-digits'];

const listens = (): number =>
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection']
    .map((event) => process.listenerCount(event))
    .reduce((sum, count) => sum + count);

test('concurrent calls have separate environments', async () => {
  const [plain, coloured] = await Promise.all([
    svcConformance(SHOW),
    svcConformance(SHOW, { environment: { FORCE_COLOR: '1' } }),
  ]);
  expect(coloured.stdout).toContain('\u001b[');
  expect(plain.stdout).not.toContain('\u001b[');
});

test.skipIf(!existsSync('/dev/full'))('lost output of a call does not affect others', async () => {
  const run = (junit: string) =>
    svcConformance(
      ['run', '--vectors', 'test/harness/vectors', '--reporter', `junit=${junit}`].concat(
        '--',
        program('is-right'),
      ),
      { environment: { RECORD: join(folder, 'record') } },
    );
  const [lost, whole] = await Promise.all([run('/dev/full'), run(join(folder, 'junit.xml'))]);
  const after = await run(join(folder, 'after.xml'));
  expect([lost.code, whole.code, after.code]).toEqual([6, 0, 0]);
  expect([whole.stderr, after.stderr]).toEqual(['', '']);
});

test('an interrupt stops only one of two concurrent calls', async () => {
  const [interrupted, other] = await Promise.all([
    trial(program('hangs-over-poison'), ['url-encode'], async (call, recorded) => {
      await recorded('hangs');
      call.interrupt();
    }),
    trial(program('is-right')),
  ]);
  expect(interrupted.result.code).toBe(5);
  expect(other.result).toEqual(ALL_PASS);
});

test('a call leaves no listeners on the process', async () => {
  const before = listens();
  const exits = process.listenerCount('exit');
  const { result } = await trial(program('crashes-before-hello'));
  expect(result).toEqual(NEVER_WORKED);
  await svcConformance(['lsit']);
  expect(listens()).toBe(before);
  expect(process.listenerCount('exit')).toBe(exits);
});
