"""Style sheet of a table's page, for light and dark mode."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6675; --rule: #d9dee5; --back: #fff;
  --blue: #2f6fb3; --green: #2f8f5b; --amber: #c98a12; --red: #b8433b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --dim: #9aa5b4; --rule: #333c48; --back: #14181e;
    --blue: #6ba6e6; --green: #61c08c; --amber: #e0b04a; --red: #e5776f; } }
body { margin: 0; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 24px 20px 48px; }
h1 { margin: 0; font-size: 26px; overflow-wrap: anywhere; }
h2 { margin: 36px 0 4px; font-size: 18px; }
p { margin: 2px 0 8px; color: var(--dim); } .path { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 12px;
  margin: 20px 0 0; }
dl div { border: 1px solid var(--rule); border-radius: 6px; padding: 8px 12px; }
dt { color: var(--dim); font-size: 13px; } dd { margin: 0; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; }
svg text { font-size: 11px; fill: var(--dim); } .label { text-anchor: middle; }
.step { text-anchor: end; } .grid { stroke: var(--rule); }
.mean { stroke: var(--red); stroke-dasharray: 5 4; }
rect.rows, rect.files, rect.logs, rect.updated { fill: var(--blue); }
rect.inserted { fill: var(--green); }
rect.deleted { fill: var(--red); } rect.pending, rect.other { fill: var(--amber); }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px;
  margin: 0 5px 0 14px; background: var(--blue); }
.key.inserted::before { background: var(--green); } .key.deleted::before { background: var(--red); }
.wide { overflow-x: auto; max-height: 480px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: 4px 10px 4px 0; text-align: left; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { position: sticky; top: 0; background: var(--back); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
footer { margin-top: 32px; color: var(--dim); font-size: 13px; }
"""
