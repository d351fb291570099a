/**
 * Which account may use which bucket, if several accounts share the server.
 *
 * @module
 */
import type { Account } from '../../secret-keys.ts';
import type { Bucket } from '../store/entries.ts';

/** The owner of a bucket that this account creates; undefined on a server for one account, where nothing is divided. */
export function ownerFor(
  accounts: readonly Account[],
  publicKey: string | undefined,
): string | undefined {
  return accounts.length > 1 ? publicKey : undefined;
}

/** Whether the bucket belongs to the account, or to every account. */
export function ownsBucket(
  accounts: readonly Account[],
  { owner }: Bucket,
  publicKey: string | undefined,
): boolean {
  return accounts.length === 1 || owner === undefined || owner === publicKey;
}
