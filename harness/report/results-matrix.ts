/**
 * The matrix of `RESULTS.md`: rules by SDKs.
 *
 * @module
 */
import type { Suite } from '../suite/vector.ts';
import type { Judged } from './results-page.ts';

/** A row for each rule that an SDK was judged by; vectors of level open judge nobody. */
export function rulesBySdk({ rules }: Suite, judged: readonly Judged[]): readonly string[] {
  const rows = rules.flatMap(({ id, level }) => {
    const cells = judged.map((one) => cell(one, id));
    return cells.every((text) => text === NOTHING)
      ? []
      : [`| ${id} | ${level} | ${cells.join(' | ')} |`];
  });
  return [
    '## Rules by SDKs',
    '',
    'Vectors of the rule: passed / failed / unsupported. Failed is everything but a pass: another answer, an answer where a',
    `refusal is due, a refusal where an answer is, an exception. ${NOTHING} where every vector is unsupported. Rules of which that is`,
    'true for every SDK are left out.',
    '',
    `| rule | level | ${judged.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${judged.map(() => '---|').join('')}`,
    ...rows,
  ];
}

const NOTHING = '–';

function cell({ run }: Judged, rule: string): string {
  const of = run.outcomes.filter(
    ({ vector }) => vector.rules.includes(rule) && vector.level !== 'open',
  );
  const passed = of.filter(({ verdict }) => verdict.status === 'pass').length;
  const unsupported = of.filter(({ verdict }) => verdict.status === 'unsupported').length;
  if (unsupported === of.length) return NOTHING;
  return `${passed} / ${of.length - passed - unsupported} / ${unsupported}`;
}
