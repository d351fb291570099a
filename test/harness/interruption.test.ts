import { expect, test } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { runProgram, svcConformance } from './svc-conformance.ts';
import { ALL_PASS, program, trialOfProgram, watchedProgram } from './trial.ts';

// Windows has no signals: there, the console ends all of its processes at once.
const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix.each(
  someOf(
    [
      ['SIGINT', '1'],
      ['SIGINT', '64'],
      ['SIGTERM', '1'],
    ] as const,
    3,
  ),
)('the results before %s are reported, window %s', async (signal, window) => {
  const { result, report } = await trialOfProgram(
    program('hangs-over-poison', window),
    ['url-encode'],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill(signal);
    },
  );
  expect(result).toEqual({ code: 5, failures: {}, counts: { pass: 3, 'not-asked': 4 } });
  expect(report).toContain('the run stopped early: the run was interrupted');
});

posix('SIGHUP stops a run with exit code 5', async () => {
  const { result } = await trialOfProgram(
    program('hangs-over-poison'),
    ['url-encode'],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGHUP');
    },
  );
  expect(result.code).toBe(5);
});

posix('an interrupted adapter check leaves no process', async () => {
  await watchedProgram(
    ['adapter', 'check', '--', ...program('hangs-over-everything')],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGINT');
    },
  );
});

posix('a refusal whose control was not asked is not a failure', async () => {
  const { result } = await trialOfProgram(
    program('hangs-over-poison'),
    [],
    async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGINT');
    },
  );
  expect(result.code).toBe(5);
  expect(result.failures).toEqual({});
});

posix.each(['is-silent', 'hangs-over-everything'])(
  'a run that is interrupted before the first answer gives no verdict on an adapter that %s',
  async (name) => {
    const { result, report } = await trialOfProgram(program(name), [], async (cli, recorded) => {
      await recorded('hangs');
      cli.kill('SIGINT');
    });
    expect(result.code).toBe(5);
    expect(report).toContain('the run was interrupted');
  },
);

test.concurrent('a run continues if its reader closes standard output early', async () => {
  const { result } = await trialOfProgram(program('is-right', '64'), [], (cli) =>
    cli.stdout?.destroy(),
  );
  expect(result).toEqual({ ...ALL_PASS, counts: {} });
});

test.concurrent('list exits with 0 if its reader closes standard output', async () => {
  const ended = await runProgram(['list'], { meanwhile: (cli) => cli.stdout?.destroy() });
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.concurrent('a usage error keeps its exit code if its reader closes standard error', async () => {
  const ended = await runProgram(['lsit'], { meanwhile: (cli) => cli.stderr?.destroy() });
  expect(ended).toEqual({ code: 2, stdout: '', stderr: '' });
});

thorough('an interrupted proof exits with 5 and proves or writes nothing', async () => {
  let timer: NodeJS.Timeout | undefined;
  const ended = await svcConformance('vectors prove', {
    // Until the proof runs, an interrupt has no effect here.
    meanwhile: (call) => {
      timer = setInterval(call.interrupt, 5);
    },
  });
  clearInterval(timer);
  expect(ended).toEqual({
    code: 5,
    stdout: 'the proof was interrupted; nothing is proved or written\n',
    stderr: '',
  });
});
