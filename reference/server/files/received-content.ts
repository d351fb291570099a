/**
 * Bytes that come in, held until something is made of them.
 *
 * @module
 */
import type { FileCall, Service } from '../service.ts';
import type { Content } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { announcedMd5, checkMd5 } from './content-md5.ts';

/** Of a put, of a form and of a part; in bytes. */
export const LARGEST_BODY: number = 512 * 1024 * 1024;

/** The body of a request, as it was announced. Of a part its own ETag is wanted. */
export async function receivedContent(
  { service, wire }: FileCall,
  kind: 'file' | 'part',
): Promise<Content> {
  const announced = announcedMd5(headerOf(wire, 'Content-MD5'));
  const content = await service.store.content(wire.body.pieces(LARGEST_BODY), {
    partEtag: kind === 'part',
    md5: announced !== undefined,
  });
  return kept(service, content, () => {
    checkMd5(content, announced);
    return content;
  });
}

/** What is made of a content; where that fails, the content is thrown away. */
export async function kept<Result>(
  { store }: Service,
  content: Content,
  made: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await made();
  } catch (error) {
    await store.discard(content);
    throw error;
  }
}

/** Reads a body that means nothing: some clients send one, and look for the answer only after it. */
export async function ignoredBody({ wire }: FileCall): Promise<void> {
  for await (const _ of wire.body.pieces(LARGEST_BODY));
}
