import { rmSync } from 'node:fs';
import { hashOf, modeOf, readText, removeFile, replaceFile, writeBackup } from './files.ts';
import type { FileChange } from './plan.ts';
import type { FileReceipt } from './receipt.ts';

type WriteContext = { receipt: FileReceipt | undefined; secrets: readonly string[]; now: Date };

/** Writes one file and returns its receipt. */
export function install(change: FileChange, { receipt, secrets, now }: WriteContext): FileReceipt {
  const { file, before, clients } = change;
  const after = change.after as string;
  refuseIfChanged(change);
  const isGoingOn = receipt !== undefined && before !== null && hashOf(before) === receipt.after;
  const backup = isGoingOn ? receipt.backup : before === null ? null : writeBackup(file, now);
  const holdsSecret = secrets.some((secret) => after.includes(JSON.stringify(secret).slice(1, -1)));
  const { madeFolder } = replaceFile(file, after, holdsSecret ? 0o600 : (modeOf(file) ?? newMode(change)));
  const made_folder = receipt?.made_folder ?? madeFolder;
  return {
    clients: [...new Set([...(receipt?.clients ?? []), ...clients])],
    ...originalHash(change, receipt, isGoingOn),
    after: hashOf(after),
    backup,
    made: [...(receipt?.made ?? []), ...change.made],
    ...(made_folder === undefined ? {} : { made_folder }),
  };
}

/** Removes our part from one file. Keeps a backup, unless the file is back in its original state. */
export function uninstall(change: FileChange, { receipt, now }: WriteContext): void {
  const { file, after } = change;
  refuseIfChanged(change);
  const isOriginal = receipt !== undefined && (after === null ? null : hashOf(after)) === receipt.before;
  if (!isOriginal) writeBackup(file, now);
  const mode = (isOriginal && receipt.backup !== null && modeOf(receipt.backup)) || modeOf(file) || newMode(change);
  if (after === null) removeFile(file, receipt?.made_folder);
  else replaceFile(file, after, mode);
  if (isOriginal && receipt.backup !== null) rmSync(receipt.backup, { force: true });
}

/** A client may have changed its file while the user was answering the question. */
function refuseIfChanged({ file, before }: FileChange): void {
  if ((readText(file) ?? null) !== before) throw new Error('it was changed meanwhile: run mem init again');
}

/** Settings of a client are readable only by their user. */
const newMode = ({ kind }: FileChange): number => (kind === 'config' ? 0o600 : 0o644);

function originalHash(
  { before }: FileChange,
  receipt: FileReceipt | undefined,
  isGoingOn: boolean,
): Pick<FileReceipt, 'before'> {
  if (before === null) return { before: null };
  if (!receipt) return { before: hashOf(before) };
  return isGoingOn && receipt.before !== undefined ? { before: receipt.before } : {};
}
