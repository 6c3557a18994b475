import { ui } from '../texts/ui.ts';
import { isMemError } from './client.ts';
import { missingRightOf } from './missing-right.ts';

export type ShownProblem = {
  kind: 'signed_out' | 'forbidden' | 'offline' | 'missing' | 'not_installed' | 'busy' | 'failed';
  title: string;
  /** What to do where the key lacks a right or a branch is protected, else the words of the service. */
  detail: string;
  /** The words of the service, where others stand in their place. */
  words?: string;
  code: string;
  status: number;
};

/** What went wrong, for people. */
export function problemOf(error: unknown): ShownProblem {
  if (!isMemError(error)) {
    return {
      kind: 'failed',
      title: ui.failed,
      detail: String((error as Error)?.message ?? error),
      code: 'client',
      status: 0,
    };
  }
  const { code, status, message } = error;
  const kind = kindOf(code, status);
  const advice = isMemError(error, 'branch_protected')
    ? ui.protectedBranch(error.details.branch)
    : missingRightOf(error);
  const shown = { kind, title: TITLES[kind], code, status };
  return advice === undefined ? { ...shown, detail: message } : { ...shown, detail: advice, words: message };
}

const TITLES: Record<ShownProblem['kind'], string> = {
  signed_out: ui.signedOut,
  forbidden: ui.forbidden,
  offline: ui.offline,
  missing: ui.missing,
  not_installed: ui.missing,
  busy: ui.busy,
  failed: ui.failed,
};

function kindOf(code: string, status: number): ShownProblem['kind'] {
  if (code === 'module_not_installed') return 'not_installed';
  if (status === 401) return 'signed_out';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'missing';
  if (status === 429) return 'busy';
  return status === 0 || status === 503 ? 'offline' : 'failed';
}
