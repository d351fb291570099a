/**
 * Files that every new adapter gets, in any language.
 *
 * @module
 */
import { stringify } from 'yaml';
import { packageVersion } from '../../suite/package-root.ts';
import type { BeginningKit } from './kits.ts';

const NODE = { uses: 'actions/setup-node@v4', with: { 'node-version': 22 } };

/** The option of `run` that names the project, from the root of its repository. */
function adapterOption(place: string): string {
  return `--adapter ${place === '.' ? place : `./${place}`}`;
}

export function expectations(): string {
  return `# The known failures. A run passes as long as it has only these. It fails if something else fails, or if an
# entry no longer matches a failure. An entry looks like this:
#
#   - vectors: authorization/refusals/** # the id of a vector, or a glob over ids
#     status: fail                       # the verdict that the run reports
#     reason: The SDK signs what HTTP cannot carry.
expectations: []
`;
}

export function readme({ language, copies, fillIn, tests }: BeginningKit, place: string): string {
  return `# The conformance adapter of my-sdk (${language})

Written by \`svc-conformance init\`, version ${packageVersion()}.

1. Fill in \`authorization()\` in \`${fillIn}\`: call your SDK, and give its name.
2. Run it, from the root of the repository:

   \`\`\`sh
   npx svc-conformance run ${adapterOption(place)}
   \`\`\`

3. Add the next operation: one line and one function in \`${fillIn}\`. \`PROTOCOL.md\` describes the input of each operation.
${tests ? testsParagraph(tests) : ''}
${copies.map((name) => `\`${name}\``).join(', ')} is the loop; do not change it. \`adapter.json\` has the command that starts the adapter,
\`expectations.yaml\` has the known failures. CI services read their files only at the root of a repository.
`;
}

function testsParagraph({ file, command }: NonNullable<BeginningKit['tests']>): string {
  return `
In this folder, \`${command}\` runs every vector as a test of its own and names those that are skipped in one line
(\`${file}\`). It needs \`npx\`; the variable \`SVC_CONFORMANCE\` names another svc-conformance program.
`;
}

/** @param place the project's path from the root of its repository */
export function workflow({ ci }: BeginningKit, place: string): string {
  const run = `npx --yes svc-conformance@${packageVersion()} run ${adapterOption(place)}`;
  const steps = [{ uses: 'actions/checkout@v4' }, NODE, ...ci, { run }];
  return `# Install your SDK in a step before the last one. Upgrade svc-conformance on purpose: a newer version may
# have new vectors that your SDK fails.
${stringify({
  name: 'conformance',
  on: ['push', 'pull_request'],
  permissions: { contents: 'read' },
  jobs: { conformance: { 'runs-on': 'ubuntu-latest', steps } },
})}`;
}
