import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { svcConformance } from '../harness/svc-conformance.ts';
import { folderOfTest } from '../temporary-folder.ts';

const HEAD = `# A comment that stays.
operation: action-signature
source: "spec [ 5.1 ]"
keys: {publicKey: pub-example, privateKey: priv-example}
vectors:
  - id: sorts-cpu-before-charge-type
    rules: [5.1/sort-bytes]
    why: A comparison of texts with a comma after the name puts "Tag+" before "Tag,".
    input:
      parameters:
        - [Action, CreateInstance]
        - ["ChargeType", Month]
        - ["CPU", { number: "4" }]
        - [PublicKey, pub-example]
`;

test('vectors fill computes the missing values, and keeps everything else as it is written', async () => {
  const path = join(folderOfTest(), 'sorting.yaml');
  writeFileSync(path, `${HEAD}    expect: {}\n`);
  const { code, stderr } = await svcConformance(['vectors', 'fill', path]);
  expect([code, stderr]).toEqual([0, '']);
  const written = readFileSync(path, 'utf8');
  expect(written.slice(0, HEAD.length)).toBe(HEAD);
  const { vectors } = parse(written);
  // As in vectors/action-signature/sorting.yaml, which a second implementation recomputes.
  expect(vectors[0].expect.signature).toBe('1b8ab840766344d07f84f2faba4654ca432cf087');
});
