import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseDialect } from '../../dist/harness/engine/dialects.js';
import {
  judgeVector,
  toControlQuestion,
  toQuestion,
} from '../../dist/harness/engine/judge/outcome.js';
import { freshQuestions } from '../../dist/harness/make/rederive/fresh-questions.js';
import { translateVectors } from '../../dist/harness/make/rederive/rewording.js';
import { pythonProgram } from '../../dist/harness/render/reproduction.js';
import { LIMITS } from '../../dist/harness/respondents/adapter/manifest.js';
import { Pool } from '../../dist/harness/respondents/adapter/pool.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import type { KeyPair, Stages, Vector } from '../../harness/engine/vector.ts';
import { hasPython, PYTHON, withoutPython } from '../python.ts';
import { askPython } from './python-answers.ts';

const vectors: readonly Vector[] = bundledSuite().vectors;

test.skipIf(!hasPython).each(['svc', 'ucloud', 'Acme,X-Acme-,AcmeKey'])(
  `the implementation in Python, written from the specification, gives every stage of every vector: dialect %s${withoutPython}`,
  async (name) => {
    const dialect = parseDialect(name);
    const all = name === 'svc' ? vectors : translateVectors(dialect, vectors);
    const { asked, differences } = await askPython(dialect, all);
    expect(differences).toEqual([]);
    expect(asked).toBeGreaterThan(vectors.length);
  },
);

const SEEDS = [1, 2, 3, 4, 5];

test.skipIf(!hasPython)(
  `the implementation in Python passes the questions on fresh data${withoutPython}`,
  async () => {
    const operations = [...new Set(vectors.map(({ operation }) => operation))];
    const asked = SEEDS.flatMap((seed) =>
      operations.flatMap((name) =>
        freshQuestions(
          vectors.filter(({ operation }) => operation === name),
          seed,
        ),
      ),
    );
    const pool = new Pool([PYTHON, 'adapters/python/adapter.py'], parseDialect('svc'), LIMITS, 1);
    try {
      await pool.hello();
      const replies = await pool.ask(asked.map(toQuestion));
      const controlled = asked.filter(({ control }) => control);
      const controls = await pool.ask(controlled.map(toControlQuestion));
      const outcomes = asked.map((vector, i) => {
        const control = vector.control && controls[controlled.indexOf(vector)];
        const reply = replies[i] ?? { kind: 'unsupported' };
        return judgeVector(vector, { reply }, control && { reply: control });
      });
      expect(outcomes.filter(({ verdict }) => verdict.status !== 'pass')).toEqual([]);
      expect(asked.length).toBeGreaterThanOrEqual(SEEDS.length * operations.length * 2);
    } finally {
      await pool.close();
    }
  },
);

/** The stage that the Python line prints. */
function printedStage(stages: Stages): unknown {
  const names = ['signature', 'encoded', 'value', 'etag', 'policy'];
  return stages[names.find((name) => stages[name] !== undefined) ?? ''];
}

test.skipIf(!hasPython)(
  `the Python line that show prints for each answer computes its value${withoutPython}`,
  () => {
    const lines = vectors.flatMap((vector) => {
      const sets: readonly (readonly [Stages, KeyPair, Vector])[] = [
        ...(vector.expect ? [[vector.expect, vector.keys, vector] as const] : []),
        ...(vector.control
          ? [
              [
                vector.control.expect,
                vector.control.keys ?? vector.keys,
                { ...vector, input: { ...vector.input, ...vector.control.input } },
              ] as const,
            ]
          : []),
        ...Object.values(vector.accept ?? {}).flatMap(({ expect: answer }) =>
          answer ? [[answer, vector.keys, vector] as const] : [],
        ),
      ];
      return sets.flatMap(([stages, keys, of]) => {
        const program = pythonProgram(of, stages, keys.privateKey);
        return program === undefined
          ? []
          : [{ id: vector.id, program, value: printedStage(stages) }];
      });
    });
    const script = lines.map(({ program }) => program).join('\n');
    const printed = execFileSync(PYTHON, ['-'], {
      input: script,
      encoding: 'utf8',
      maxBuffer: 1e8,
    }).split(/\r?\n/);
    const wrong = lines.filter(({ value }, i) => printed[i] !== value);
    expect(wrong).toEqual([]);
    expect(lines.length).toBeGreaterThan(vectors.filter((vector) => vector.expect).length);
  },
);
