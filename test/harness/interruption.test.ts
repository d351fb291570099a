import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { svcConformance } from './svc-conformance.ts';
import { ALL_PASS, program, trial, watched } from './trial.ts';

// Windows has no signals: there, the console ends all of its processes at once.
const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix.each([
  ['SIGINT', '1'],
  ['SIGINT', '64'],
  ['SIGTERM', '1'],
] as const)('what is known at %s is reported, window %s', async (signal, window) => {
  const { result, report } = await trial(
    program('hangs-over-poison', window),
    ['url-encode'],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill(signal);
    },
  );
  expect(result).toEqual({ code: 5, failures: {}, counts: { pass: 3, 'not-asked': 4 } });
  expect(report).toContain('the run ended before its end: the run was interrupted');
});

posix('what is known at SIGHUP is reported', async () => {
  const { result } = await trial(
    program('hangs-over-poison'),
    ['url-encode'],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGHUP');
    },
  );
  expect(result.code).toBe(5);
});

posix('a check that is interrupted leaves no process', async () => {
  await watched(
    ['adapter', 'check', '--', ...program('hangs-over-everything')],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGINT');
    },
  );
});

posix('a refusal whose control was not asked about is no failure', async () => {
  const { result } = await trial(program('hangs-over-poison'), [], async (cli, recorded) => {
    await recorded('hangs');
    cli.kill('SIGINT');
  });
  expect(result.code).toBe(5);
  expect(result.failures).toEqual({});
});

posix.each(['is-silent', 'hangs-over-everything'])(
  'a run that is interrupted before the first answer is no verdict on one that %s',
  async (name) => {
    const { result, report } = await trial(program(name), [], async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGINT');
    });
    expect(result.code).toBe(5);
    expect(report).toContain('the run was interrupted');
  },
);

test.concurrent('a reader that goes away ends nothing but the reading', async () => {
  const { result } = await trial(program('is-right', '64'), [], (cli) => cli.stdout?.destroy());
  expect(result).toEqual({ ...ALL_PASS, counts: {} });
});

test.concurrent('a reader of the list that goes away is no error', async () => {
  const ended = await svcConformance(['list'], { meanwhile: (cli) => cli.stdout?.destroy() });
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.concurrent('a reader of errors that goes away is no other error', async () => {
  const ended = await svcConformance(['lsit'], { meanwhile: (cli) => cli.stderr?.destroy() });
  expect(ended).toEqual({ code: 2, stdout: '', stderr: '' });
});

posix('a proof that is interrupted proves nothing and leaves no folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-proof-'));
  const ended = await svcConformance(['vectors', 'prove'], {
    environment: { TMPDIR: folder },
    meanwhile: (cli) => {
      const timer = setInterval(() => {
        if (readdirSync(folder).length === 0) return;
        clearInterval(timer);
        cli.kill('SIGINT');
      }, 5);
      cli.once('close', () => clearInterval(timer));
    },
  });
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true });
  expect(left).toEqual([]);
  expect(ended).toEqual({
    code: 5,
    stdout: 'the proof was interrupted; nothing is proved, nothing was written\n',
    stderr: '',
  });
});
