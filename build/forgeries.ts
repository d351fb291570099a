/**
 * Writes the requests signed with known mistakes as one JSON file, so that no run has to sign any.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { dialectNamed } from '../harness/dialects.ts';
import { chosenForgeries } from '../harness/forgeries/chosen.ts';
import { forgeriesOf } from '../harness/forgeries/forged.ts';
import { FORGERIES, type ForgeryFile } from '../harness/forgeries/forgery.ts';
import { bundledSuite } from '../harness/suite/bundle.ts';
import { packagePath } from '../harness/suite/package-root.ts';

const SVC = dialectNamed('svc');

/** Forges the requests of the vectors that the package is being built with. */
export function writeForgeries(): void {
  const all = bundledSuite().vectors.flatMap((vector) => forgeriesOf(vector, SVC));
  const chosen = chosenForgeries(all, SVC);
  const controls = new Map(chosen.map(({ control }) => [JSON.stringify(control), control]));
  const positions = [...controls.keys()];
  const file: ForgeryFile = {
    controls: [...controls.values()],
    forgeries: chosen.map(({ operation: _, keys: __, control, ...forgery }) => ({
      ...forgery,
      control: positions.indexOf(JSON.stringify(control)),
    })),
  };
  writeFileSync(packagePath(FORGERIES), JSON.stringify(file));
}
