/**
 * `vectors`: for those who write them.
 *
 * @module
 */
import { EXIT, UsageError } from '../errors.ts';
import { print } from '../output.ts';
import { packagePath } from '../suite/package-root.ts';
import { readSuite } from '../suite/read.ts';
import { parsed, refuseCommand, textOption, type Verb } from './verb.ts';

const OPTIONS = { matrix: { type: 'string' }, 'write-smoke': { type: 'boolean' } } as const;

export const vectorsVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  refuseCommand(given);
  const [what, ...paths] = given.positionals;
  if (what !== 'prove' && Object.keys(given.values).length > 0) {
    throw new UsageError('--matrix and --write-smoke are options of vectors prove');
  }
  if (what === 'check' && paths.length <= 1) {
    const { rules, vectors } = readSuite(paths[0] ?? packagePath('vectors'));
    const refused = vectors.filter(({ refuse }) => refuse).length;
    print(
      `${vectors.length} vectors (${refused} must be refused), ${rules.length} rules: all well-formed\n`,
    );
    return EXIT.asExpected;
  }
  if (what === 'fill' && paths.length > 0) {
    const { fillFile } = await import('../rederive/fill.ts');
    let code: number = EXIT.asExpected;
    for (const path of paths) {
      const { filled, disagreements } = await fillFile(path);
      print(`${path}: ${filled} values filled in\n`);
      for (const disagreement of disagreements) print(`  ${disagreement}\n`);
      if (disagreements.length > 0) code = EXIT.badData;
    }
    return code;
  }
  if (what === 'prove' && paths.length <= 1) {
    const { proved } = await import('./prove.ts');
    return proved(paths[0] ?? packagePath('vectors'), {
      matrix: textOption(given, 'matrix'),
      smoke: given.values['write-smoke'] === true,
    });
  }
  throw new UsageError(
    'write svc-conformance vectors check [FOLDER], vectors prove [FOLDER], or vectors fill FILE…',
  );
};
