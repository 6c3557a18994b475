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

type CopyAsProps = { call: CopiedCall /** What the page asked besides. */; more?: readonly CopiedCall[] };

/** What the page asked the service, as calls that work elsewhere. */
export function CopyAs({ call, more = [] }: CopyAsProps) {
  const calls = [call, ...more];
  const items: MenuItem[] = [
    {
      id: 'curl',
      label: ui.copyAsOf.curl,
      onSelect: () => void copy(async ({ asCurl }) => (await Promise.all(calls.map(asCurl))).join('\n')),
    },
    { id: 'sdk', label: ui.copyAsOf.sdk, onSelect: () => void copy(({ asSdk }) => asSdk(calls)) },
    {
      id: 'mcp',
      label: ui.copyAsOf.mcp,
      onSelect: () =>
        void copy(({ asMcp }) => {
          const messages = calls.map(asMcp);
          return messages.includes(undefined) ? undefined : messages.join('\n');
        }),
    },
    { id: 'link', label: ui.copyAsOf.link, icon: 'link', onSelect: () => void copy(() => location.href) },
  ];
  return (
    <Menu label={ui.copyAs} icon="copy" items={items} data-copy-as>
      {ui.copyAs}
    </Menu>
  );
}
