/**
 * One line of `python3 -c` that computes the value of a vector with only the standard library of Python.
 *
 * @module
 */
import type { Input, Stages, Vector } from '../engine/vector.ts';

/** The line for a POSIX shell; undefined if the vector has no value to compute. */
export function reproduction(vector: Vector): string | undefined {
  const answers = Object.values(vector.accept ?? {}).flatMap(({ expect }) =>
    expect ? [expect] : [],
  );
  const stages = vector.expect ?? vector.control?.expect ?? answers[0];
  const keys = (vector.expect ? vector.keys : vector.control?.keys) ?? vector.keys;
  const program = stages && pythonProgram(vector, stages, keys.privateKey);
  return program === undefined ? undefined : `python3 -c '${program}'`;
}

/** A program in plain Python that computes an answer from the inputs of its last step. */
export function pythonProgram(
  { operation, input }: Vector,
  stages: Stages,
  privateKey: string,
): string | undefined {
  const text = stages['stringToSign'];
  switch (operation) {
    case 'url-encode':
      return `from urllib.parse import quote; print(quote(${python(input.text)}, safe="-_.~"))`;
    case 'password':
      return `import base64; print(base64.b64encode(${python(input.text)}.encode()).decode())`;
    case 'policy':
      return `import base64,json; print(base64.urlsafe_b64encode(json.dumps(dict(${python(input.members)}),separators=(",",":"),ensure_ascii=False).encode()).decode())`;
    case 'etag':
      return `${contentProgram(input)}; b=[d[i:i+4194304] for i in range(0,len(d),4194304)]; h=[s(x).digest() for x in b]; print(base64.urlsafe_b64encode(len(b).to_bytes(4,"little")+(h[0] if len(h)==1 else s(b"".join(h)).digest())).decode())`;
    case 'part-etag':
      return `${contentProgram(input)}; print(base64.urlsafe_b64encode(s(d).digest()).decode())`;
    default:
      if (typeof text !== 'string') return undefined;
      return stages['digest'] === undefined
        ? `import hashlib; print(hashlib.sha1(${python(text)}.encode()).hexdigest())`
        : `import base64,hmac; print(base64.b64encode(hmac.digest(${python(privateKey)}.encode(),${python(text)}.encode(),"sha1")).decode())`;
  }
}

function contentProgram({ content = { bytes: '' } }: Input): string {
  const start = 'import base64,hashlib; s=hashlib.sha1';
  if ('file' in content) return `${start}; d=open(${python(content.file)},"rb").read()`;
  if ('bytes' in content) return `${start}; d=base64.b64decode(${python(content.bytes)})`;
  const { size, marks = [] } = content.recipe;
  const written = marks.map(
    ([offset, text]) => `f.seek(${offset}); f.write(${python(text)}.encode())`,
  );
  return `${['import io', start, 'f=io.BytesIO()', ...written].join('; ')}; d=f.getvalue()[:${size}].ljust(${size},b"\\0")`;
}

/** A value as a Python literal, with escapes for characters that a shell would change or that look like others. */
function python(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(python).join(',')}]`;
  const characters = [...String(value)].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x20 && code < 0x7f && !'"\\\'!'.includes(character)) return character;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${characters.join('')}"`;
}
