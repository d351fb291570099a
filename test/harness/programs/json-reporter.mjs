/**
 * A reporter for Node's test runner that writes the results as JSON, as vitest and jest do. Run the
 * test files one at a time: an event names the file of the call that registers the test, not the
 * test file.
 *
 * @module
 */

import { resolve } from 'node:path';

const STATUS = { 'test:pass': 'passed', 'test:fail': 'failed' };

// biome-ignore lint/style/noDefaultExport: Node loads a reporter as the default export
export default async function* report(events) {
  const testResults = [];
  const names = [];
  for await (const { type, data } of events) {
    // Node 22 names a file by its relative path.
    if (type === 'test:dequeue' && data.nesting === 0 && resolve(data.name) === data.file)
      testResults.push({ name: data.file, assertionResults: [], message: '' });
    const file = testResults.at(-1);
    if (type === 'test:stderr') file.message += data.message;
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name);
    if (!STATUS[type] || data.nesting === 0 || data.details.type === 'suite') continue;
    const { cause } = data.details.error ?? {};
    file.assertionResults.push({
      fullName: names.join(' '),
      status: data.skip === undefined ? STATUS[type] : 'skipped',
      failureMessages: cause ? [cause.message] : [],
    });
  }
  yield JSON.stringify({ testResults });
}
