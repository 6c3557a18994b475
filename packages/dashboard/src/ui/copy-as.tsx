import type { CopiedCall } from '../data/copy-as.ts';
import { ui } from '../texts/ui.ts';
import { copyText } from './copy-button.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { showToast } from './toast.tsx';

async function copy(
  make: (calls: typeof import('../data/copy-as.ts')) => string | Promise<string | undefined> | undefined,
) {
  const text = await make(await import('../data/copy-as.ts'));
  if (text === undefined) return showToast(ui.noTool);
  await copyText(text);
  showToast(ui.copied);
}

/** What the page asked the service, as a call that works elsewhere. */
export function CopyAs({ call }: { call: CopiedCall }) {
  const items: MenuItem[] = [
    { id: 'curl', label: ui.copyAsOf.curl, onSelect: () => void copy(({ asCurl }) => asCurl(call)) },
    { id: 'sdk', label: ui.copyAsOf.sdk, onSelect: () => void copy(({ asSdk }) => asSdk(call)) },
    { id: 'mcp', label: ui.copyAsOf.mcp, onSelect: () => void copy(({ asMcp }) => asMcp(call)) },
    { id: 'link', label: ui.copyAsOf.link, icon: 'link', onSelect: () => void copy(() => location.href) },
  ];
  return (
    <Menu label={ui.copyAs} icon="copy" items={items} data-copy-as>
      {ui.copyAs}
    </Menu>
  );
}
