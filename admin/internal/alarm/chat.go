package alarm

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// weComTitle bounds a title, so that the link behind it is whole.
const weComTitle = 900

// The longest texts that the chats take, with room for the frame.
const (
	dingTalkLimit = 16 << 10
	weComLimit    = 2000 // the service refuses a text above 2,048 bytes
	feishuLimit   = 16 << 10
	slackLimit    = 2900 // characters a section; bytes are never fewer
)

// webhook posts the JSON of a template.
type webhook struct {
	poster *poster
	url    *url.URL
	header http.Header
	body   *template
}

func (w *webhook) send(ctx context.Context, m *message) error {
	_, err := w.poster.post(ctx, w.url, w.header, w.body.body(m))
	return err
}

// chat posts to one of the chats: form builds the body, and verdict reads the
// answer of a service that says 200 to everything.
type chat struct {
	poster  *poster
	url     *url.URL
	secret  string
	form    func(c *chat, m *message, now time.Time) (target *url.URL, body any)
	verdict func(reply []byte) error
}

func (c *chat) send(ctx context.Context, m *message) error {
	target, body := c.form(c, m, time.Now())
	encoded, err := json.Marshal(body)
	if err != nil {
		return permanent(fmt.Errorf("encode the message: %w", err))
	}
	reply, err := c.poster.post(ctx, target, nil, encoded)
	if err != nil {
		return err
	}
	return c.verdict(reply)
}

// object is a JSON object.
type object map[string]any

// dingTalkForm is a markdown message. The signature goes into the URL.
func dingTalkForm(c *chat, m *message, now time.Time) (*url.URL, any) {
	target := *c.url
	if c.secret != "" {
		stamp := strconv.FormatInt(now.UnixMilli(), 10)
		query := target.Query()
		query.Set("timestamp", stamp)
		query.Set("sign", sign(c.secret, stamp+"\n"+c.secret))
		target.RawQuery = query.Encode()
	}
	var b strings.Builder
	b.WriteString("#### " + inMarkdown(m.title) + "\n")
	if m.link != "" {
		b.WriteString("\n[" + m.texts(textLink) + "](" + m.link + ")\n")
	}
	for _, l := range m.lines {
		b.WriteString("\n**" + l.label + "**: " + strings.ReplaceAll(inMarkdown(l.value), "\n", "  \n") + "\n")
	}
	return &target, object{
		"msgtype":  "markdown",
		"markdown": object{"title": m.title, "text": cut(b.String(), dingTalkLimit)},
	}
}

// weComForm is a plain text, in which nothing has a meaning.
func weComForm(c *chat, m *message, _ time.Time) (*url.URL, any) {
	text := cut(cut(m.title, weComTitle)+"\n"+m.text(0), weComLimit)
	return c.url, object{"msgtype": "text", "text": object{"content": text}}
}

// feishuForm is a post of plain texts, in which nothing has a meaning, and a link.
func feishuForm(c *chat, m *message, now time.Time) (*url.URL, any) {
	content := []any{[]any{object{"tag": "text", "text": m.facts(feishuLimit)}}}
	if m.link != "" {
		content = append(content, []any{object{"tag": "a", "text": m.texts(textLink), "href": m.link}})
	}
	body := object{
		"msg_type": "post",
		"content":  object{"post": object{"zh_cn": object{"title": m.title, "content": content}}},
	}
	if c.secret != "" {
		stamp := strconv.FormatInt(now.Unix(), 10)
		body["timestamp"] = stamp
		body["sign"] = sign(stamp+"\n"+c.secret, "")
	}
	return c.url, body
}

// slackForm is a header, a link and a section of plain text; text is what notifications
// show, and there three characters have a meaning.
func slackForm(c *chat, m *message, _ time.Time) (*url.URL, any) {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	blocks := []any{
		object{"type": "header", "text": object{"type": "plain_text", "text": cut(m.title, 140), "emoji": false}},
	}
	if m.link != "" { // of our own making: nothing in it has a meaning but to open the page
		open := "<" + m.link + "|" + escape.Replace(m.texts(textLink)) + ">"
		blocks = append(blocks, object{"type": "section", "text": object{"type": "mrkdwn", "text": open}})
	}
	blocks = append(blocks, object{"type": "section", "text": object{
		"type": "plain_text", "text": m.facts(slackLimit), "emoji": false,
	}})
	return c.url, object{"text": escape.Replace(m.title), "blocks": blocks}
}

// sign returns the Base64 of the HMAC-SHA256 of text.
func sign(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// busyCodes are the answers of the chats that ask for fewer messages.
var busyCodes = map[int64]bool{
	130101: true, 660026: true, // DingTalk
	45009: true, 45033: true, -1: true, // WeCom; -1 is "busy"
	9499: true, 11232: true, // Feishu
}

// codeVerdict reads the answers of DingTalk, WeCom and Feishu: an object with a
// code that is 0.
func codeVerdict(reply []byte) error {
	var answer struct {
		ErrCode *int64 `json:"errcode"`
		ErrMsg  string `json:"errmsg"`
		Code    *int64 `json:"code"`
		Msg     string `json:"msg"`
		Status  *int64 `json:"StatusCode"`
		Text    string `json:"StatusMessage"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return permanent(fmt.Errorf("the answer is not that of a chat robot: %w", err))
	}
	for _, found := range []struct {
		code *int64
		msg  string
	}{{answer.ErrCode, answer.ErrMsg}, {answer.Code, answer.Msg}, {answer.Status, answer.Text}} {
		if found.code == nil {
			continue
		}
		if *found.code == 0 {
			return nil
		}
		err := fmt.Errorf("the chat answered code %d: %s", *found.code, oneLine(cut(found.msg, 200)))
		if busyCodes[*found.code] {
			return err
		}
		return permanent(err)
	}
	return permanent(fmt.Errorf("the answer holds no code: it is not that of a chat robot"))
}

// slackVerdict accepts what Slack says with its status; refusals have one.
func slackVerdict([]byte) error { return nil }

// linkish finds what begins a link, an image, a tag or a mention in markdown.
var linkish = regexp.MustCompile(`\]([(\[:])|<([A-Za-z/!@])`)

// inMarkdown makes text of strangers harmless in markdown: an invisible blank
// between the signs that make a link or a tag keeps them from making one.
func inMarkdown(text string) string {
	return linkish.ReplaceAllStringFunc(text, func(found string) string {
		return found[:1] + "\u200b" + found[1:]
	})
}
