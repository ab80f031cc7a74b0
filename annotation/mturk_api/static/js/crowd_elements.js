// Crowd HTML Elements that tasks about text use, for HTMLQuestions made for them: a form and its fields, which send
// their answers as `taskAnswers`, a JSON list of one object, or with answer-format="flatten-objects" a field each.
"use strict";

(() => {
  const RESERVED = new Set(["assignmentId", "hitId", "turkSubmitTo", "workerId"]);
  const STYLE = `crowd-form, crowd-instructions, crowd-classifier, crowd-entity-annotation { display: block; }
    [class^="crowd-"] { font: inherit; } .crowd-field { display: block; margin: .5em 0; }
    .crowd-field input:not([type=radio], [type=checkbox]), .crowd-field textarea { display: block; width: 100%;
    max-width: 40em; box-sizing: border-box; padding: .4em; } .crowd-choice { display: block; padding: .25em 0; }
    .crowd-text { line-height: 1.8; padding: .5em; border: 1px solid #767676; white-space: pre-wrap; }
    button[class^="crowd-"] { padding: .4em 1em; margin: .25em .25em .25em 0; } fieldset { border: 0; padding: 0; }`;
  let count = 0;

  function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  /** Copies what the crowd element says onto the plain one that stands for it. */
  function copied(from, to, names) {
    for (const name of names) if (from.hasAttribute(name)) to.setAttribute(name.replace("max-length", "maxlength"), from.getAttribute(name));
    to.required = from.hasAttribute("required");
    to.disabled = from.hasAttribute("disabled");
    return to;
  }

  function listOf(text) {
    try {
      return JSON.parse(text || "[]");
    } catch {
      return JSON.parse(text.replace(/'/g, '"')); // as templates write it: ['Yes', 'No']
    }
  }

  /** An element that becomes plain HTML once all that stands in it has been read. */
  class Crowd extends HTMLElement {
    connectedCallback() {
      if (this.built) return;
      this.built = true;
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.build());
      else this.build();
    }

    get value() {
      return this.field ? this.field.value : (this.getAttribute("value") ?? "");
    }

    set value(text) {
      if (this.field) this.field.value = text;
      else this.setAttribute("value", text);
    }

    get checked() {
      return this.field ? this.field.checked : this.hasAttribute("checked");
    }

    set checked(on) {
      if (this.field) this.field.checked = on;
      else this.toggleAttribute("checked", on);
    }
  }

  class Text extends Crowd {
    build() {
      const long = this.localName === "crowd-text-area";
      const plain = make(long ? "textarea" : "input");
      this.field = copied(this, plain, ["name", "type", "placeholder", "rows", "max-length", "min", "max", "step", "pattern"]);
      this.field.value = this.getAttribute("value") ?? (long ? this.textContent.trim() : "");
      const label = this.getAttribute("label") || this.getAttribute("placeholder") || this.getAttribute("name");
      this.replaceChildren(make("label", { className: "crowd-field" }, label ?? "", this.field));
      if (this.hasAttribute("auto-focus")) this.field.focus();
    }
  }

  class Choice extends Crowd {
    build() {
      const type = this.localName === "crowd-radio-button" ? "radio" : "checkbox";
      const value = this.getAttribute("value") ?? (type === "radio" ? this.getAttribute("name") : "on");
      const group = this.closest("crowd-radio-group");
      this.field = copied(this, make("input", { type, value, checked: this.hasAttribute("checked") }), ["name"]);
      if (group && type === "radio") {
        // One of a group, whatever each is called.
        group.crowdName ??= group.getAttribute("name") ?? this.getAttribute("name") ?? `choice${(count += 1)}`;
        this.field.dataset.crowdName = this.getAttribute("name") ?? group.crowdName;
        this.field.name = group.crowdName;
        this.field.required = !group.hasAttribute("allow-empty-selection");
      }
      this.replaceChildren(make("label", { className: "crowd-choice" }, this.field, " ", ...this.childNodes));
    }
  }

  class Button extends Crowd {
    build() {
      const type = this.getAttribute("form-action") ?? (this.closest("crowd-form") ? "submit" : "button");
      this.field = copied(this, make("button", { type: type === "none" ? "button" : type, className: "crowd-button" }), []);
      this.field.append(...this.childNodes);
      this.replaceChildren(this.field);
    }
  }

  function instructions(element) {
    const found = [...element.children].filter((child) => /instructions|summary|example/.test(child.localName));
    if (!found.length) return [];
    for (const child of found) {
      const header = child.getAttribute("header");
      if (header) child.prepend(make("strong", { textContent: header }));
      child.style.display = "block";
    }
    const name = element.getAttribute("link-text") ?? "Instructions";
    return [make("details", { open: element.localName !== "crowd-instructions" }, make("summary", { textContent: name }), ...found)];
  }

  class Instructions extends Crowd {
    build() {
      this.replaceChildren(...instructions(this), ...this.childNodes);
    }
  }

  class Classifier extends Crowd {
    build() {
      const name = this.getAttribute("name");
      const several = this.localName.endsWith("multi-select");
      const group = `${name}-${(count += 1)}`;
      const choices = listOf(this.getAttribute("categories")).map((each) => {
        const field = make("input", { type: several ? "checkbox" : "radio", name: group, value: each, required: !several });
        Object.assign(field.dataset, { crowdName: name, crowdLabel: several ? "labels" : "label" });
        return make("label", { className: "crowd-choice" }, field, " ", each);
      });
      const legend = make("legend", {}, make("strong", { textContent: this.getAttribute("header") ?? "" }));
      const told = instructions(this);
      this.replaceChildren(...told, ...this.childNodes, make("fieldset", {}, legend, ...choices));
    }
  }

  class Entities extends Crowd {
    build() {
      this.text = this.getAttribute("text") ?? "";
      this.entities = listOf(this.getAttribute("initial-value"));
      const labels = listOf(this.getAttribute("labels")).map((each) => (typeof each === "string" ? { label: each } : each));
      this.shown = make("div", { className: "crowd-text", tabIndex: 0 });
      this.field = make("input", { type: "hidden", name: this.getAttribute("name") });
      this.field.dataset.crowdJson = "";
      const buttons = labels.map(({ label, fullDisplayName }) => {
        const button = make("button", { type: "button", className: "crowd-label", textContent: fullDisplayName ?? label });
        button.addEventListener("click", () => this.add(label));
        return button;
      });
      this.list = make("ul");
      const header = make("p", {}, make("strong", { textContent: this.getAttribute("header") ?? "" }));
      this.replaceChildren(...instructions(this), header, this.shown, make("p", {}, ...buttons), this.list, this.field);
      this.draw();
    }

    add(label) {
      const selection = getSelection();
      if (!selection.rangeCount || selection.isCollapsed || !this.shown.contains(selection.anchorNode)) return;
      const range = selection.getRangeAt(0);
      const before = range.cloneRange();
      before.selectNodeContents(this.shown);
      before.setEnd(range.startContainer, range.startOffset);
      const startOffset = before.toString().length;
      const endOffset = Math.min(startOffset + range.toString().length, this.text.length);
      const overlaps = (one) => one.startOffset < endOffset && startOffset < one.endOffset;
      this.entities = [...this.entities.filter((one) => !overlaps(one)), { endOffset, label, startOffset }];
      this.entities.sort((a, b) => a.startOffset - b.startOffset);
      selection.removeAllRanges();
      this.draw();
    }

    draw() {
      let at = 0;
      const pieces = this.entities.flatMap(({ startOffset, endOffset, label }) => {
        const both = [this.text.slice(at, startOffset), make("mark", { title: label, textContent: this.text.slice(startOffset, endOffset) })];
        at = endOffset;
        return both;
      });
      this.shown.replaceChildren(...pieces, this.text.slice(at));
      this.list.replaceChildren(...this.entities.map((one) => {
        const text = this.text.slice(one.startOffset, one.endOffset);
        const remove = make("button", { type: "button", className: "crowd-remove", textContent: `Remove ${text}` });
        remove.addEventListener("click", () => {
          this.entities = this.entities.filter((other) => other !== one);
          this.draw();
        });
        return make("li", {}, `${one.label}: ${text} `, remove);
      }));
      this.field.value = JSON.stringify({ entities: this.entities });
    }
  }

  class Form extends Crowd {
    build() {
      this.form = make("form", {}, ...this.childNodes);
      this.append(this.form);
      const has = this.form.querySelector("[type=submit], button:not([type]), crowd-button:not([form-action=none], [form-action=reset])");
      if (!has) this.form.append(make("button", { type: "submit", className: "crowd-submit", textContent: "Submit" }));
    }

    submit() {
      this.form.requestSubmit();
    }
  }

  /** What the form's fields say: a text each, and for boxes and buttons whether each value is ticked. */
  function answersOf(form) {
    const told = {};
    for (const field of form.elements) {
      const name = field.dataset.crowdName ?? field.name;
      if (!name || RESERVED.has(name) || field.disabled || /^(submit|button|reset|file|fieldset)$/.test(field.type)) continue;
      if ("crowdJson" in field.dataset) told[name] = JSON.parse(field.value);
      else if (field.dataset.crowdLabel === "labels") {
        told[name] ??= { labels: [] };
        if (field.checked) told[name].labels.push(field.value);
      } else if (field.dataset.crowdLabel) {
        if (field.checked) told[name] = { label: field.value };
      } else if (/^(radio|checkbox)$/.test(field.type)) (told[name] ??= {})[field.value] = field.checked;
      else told[name] = field.value;
    }
    return told;
  }

  function flattened(value, name = "") {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]];
    return Object.entries(value).flatMap(([key, inner]) => flattened(inner, name ? `${name}.${key}` : key));
  }

  document.addEventListener("submit", (event) => {
    const crowd = event.target.closest("crowd-form");
    if (!crowd || event.defaultPrevented) return;
    event.preventDefault();
    const answers = answersOf(event.target);
    const flat = crowd.getAttribute("answer-format") === "flatten-objects";
    const fields = flat ? flattened(answers) : [["taskAnswers", JSON.stringify([answers])]];
    const out = make("form", { method: "post", hidden: true }, ...fields.map(([name, value]) => make("textarea", { name, value })));
    document.body.append(out);
    out.submit(); // html_question.js says where to, and for which assignment
  });

  document.head.append(make("style", { textContent: STYLE }));
  const kinds = {
    form: Form, input: Text, "text-area": Text, checkbox: Choice, "radio-button": Choice, button: Button,
    instructions: Instructions, classifier: Classifier, "classifier-multi-select": Classifier, "entity-annotation": Entities,
  };
  for (const [name, kind] of Object.entries(kinds)) customElements.define(`crowd-${name}`, class extends kind {});
})();
