/**
 * `vectors`: for those who write them.
 *
 * @module
 */
import { EXIT, UsageError } from '../errors.ts';
import { packagePath } from '../suite/package-root.ts';
import { readSuite } from '../suite/read.ts';
import { parsed, refuseCommand, type Verb } from './verb.ts';

export const vectorsVerb: Verb = async (parameters) => {
  const given = parsed(parameters, {});
  refuseCommand(given);
  const [what, ...paths] = given.positionals;
  if (what === 'check' && paths.length <= 1) {
    const { rules, vectors } = readSuite(paths[0] ?? packagePath('vectors'));
    const refused = vectors.filter(({ refuse }) => refuse).length;
    process.stdout.write(
      `${vectors.length} vectors (${refused} must be refused), ${rules.length} rules: all well-formed\n`,
    );
    return EXIT.asExpected;
  }
  if (what === 'fill' && paths.length > 0) {
    const { fillFile } = await import('../rederive/fill.ts');
    let code: number = EXIT.asExpected;
    for (const path of paths) {
      const { filled, disagreements } = await fillFile(path);
      process.stdout.write(`${path}: ${filled} values filled in\n`);
      for (const disagreement of disagreements) process.stdout.write(`  ${disagreement}\n`);
      if (disagreements.length > 0) code = EXIT.badData;
    }
    return code;
  }
  if (what === 'prove' && paths.length <= 1) {
    const { MISTAKES } = await import('../../reference/mistakes/index.ts');
    const { catchers, gaps, proof } = await import('../diagnosis/proof.ts');
    const { vectors } = readSuite(paths[0] ?? packagePath('vectors'));
    const found = proof(vectors);
    const lacking = gaps(found);
    const least = Math.min(...MISTAKES.map(({ id }) => catchers(found, id).length));
    for (const gap of lacking) process.stdout.write(`${gap}\n`);
    process.stdout.write(
      `${MISTAKES.length} known mistakes, ${vectors.length} vectors: each mistake is caught by at least ${least}, ${lacking.length} gaps\n`,
    );
    return lacking.length === 0 ? EXIT.asExpected : EXIT.failures;
  }
  throw new UsageError(
    'write svc-conformance vectors check [FOLDER], vectors prove [FOLDER], or vectors fill FILE…',
  );
};
