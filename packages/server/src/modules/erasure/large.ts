import { type Caller, readAccount, type Services } from '../../kernel/index.ts';

/** An account with less in it is erased in a few milliseconds. */
const FEW_CHANGES = 500;
const FEW_BYTES = 2 * 1024 * 1024;

/**
 * Whether an erasure may take long on SQLite: what refers to an entry is also looked for where no index leads to it, and
 * removed texts are overwritten.
 */
export function isOfLargeAccount(
  { database }: Services,
  _: unknown,
  { account_id }: Caller,
): Promise<boolean> | undefined {
  if (database.dialect.engine !== 'sqlite') return undefined;
  return readAccount(database.forAccount(account_id).read, account_id).then((account) => {
    const { seq = 0, audit_no = 0, item_no = 0, storage_bytes = 0 } = account ?? {};
    return Math.max(seq, audit_no, item_no) > FEW_CHANGES || storage_bytes > FEW_BYTES;
  });
}
