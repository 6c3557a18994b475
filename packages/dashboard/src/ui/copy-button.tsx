import { useState } from 'react';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';

/** Puts a text on the clipboard; the old way where a page without https has none. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

const SHOWN_MS = 2_000;

export function CopyButton({ text, label = ui.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void copyText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    });
  };
  return (
    <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      <span aria-live="polite">{isCopied ? ui.copied : label}</span>
    </Button>
  );
}
