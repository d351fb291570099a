import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from './trial.ts';

/** In MiB. The questions of the session have several times as much text. */
const HEAP = 64;

test('a long session and many rounds keep neither their questions nor the files of their contents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'session-memory-'));
  try {
    const [node = '', ...asking] = program(
      'asks-at-length',
      ...program('answers-a-constant', '64'),
    );
    const said = execFileSync(node, [`--max-old-space-size=${HEAP}`, ...asking], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder, TEMP: folder, RECORD: join(folder, 'record') },
    });
    expect(said).toBe('7000 questions, 0 folders\n300 files of the last round\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
